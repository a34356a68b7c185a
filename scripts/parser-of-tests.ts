// The parser process of tests starts from a bundle of its sources, as the product's does: to compile them at each of its starts takes
// three times as long as the start.

import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Below the repository, where the packages that it imports are found. */
const folder = join(root, ".cache", "parser");

let bundled: Promise<void> | undefined;

/** A plugin of vitest: makes the bundle, and names it where the sources name theirs. */
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
  // Another run may be using what is there. The parts before the main file, which names them.
  const inOrder = outputFiles.sort((a, b) => Number(isMain(a.path)) - Number(isMain(b.path)));
  for (const { path, text } of inOrder) {
    if (existsSync(path) && readFileSync(path, "utf8") === text) continue;
    writeFileSync(`${path}.${process.pid}`, text);
    renameSync(`${path}.${process.pid}`, path);
  }
}

const isMain = (path: string): boolean => basename(path) === "main.mjs";
