// In tests, the parser process starts from a bundle of its sources, like that of the product: compiling them at each
// start would take three times as long as the start itself.

import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Below the repository, so that its imports are found. */
const folder = join(root, ".cache", "parser");

let bundled: Promise<void> | undefined;

/** A plugin of vitest: builds the bundle, and inserts its path into the sources. */
export const parserOfTests = {
  name: "parser-of-tests",
  buildStart: () => (bundled ??= bundleParser()),
  transform: (source: string, id: string) =>
    id.endsWith("/files/parser/entry.ts")
      ? { code: source.replace("./main.ts", pathToFileURL(join(folder, "main.mjs")).href), map: null }
      : undefined,
};

async function bundleParser(): Promise<void> {
  const { outputFiles } = await build({
    entryPoints: [join(root, "packages/agent/src/files/parser/main.ts")],
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    write: false,
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    target: "node20.19",
    conditions: ["lathe-source"],
    packages: "external",
  });
  mkdirSync(folder, { recursive: true });
  // Another run may be using the existing one. The main file comes last, since it names the parts.
  const inOrder = outputFiles.sort((a, b) => Number(isMain(a.path)) - Number(isMain(b.path)));
  for (const { path, text } of inOrder) {
    if (existsSync(path) && readFileSync(path, "utf8") === text) continue;
    writeFileSync(`${path}.${process.pid}`, text);
    renameSync(`${path}.${process.pid}`, path);
  }
}

const isMain = (path: string): boolean => basename(path) === "main.mjs";
