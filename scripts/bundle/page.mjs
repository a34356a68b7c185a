// Builds the page of `lathe serve` from packages/web: one document, one script, one style sheet, all served by the
// server itself.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../..", import.meta.url));
const source = join(root, "packages", "web", "src");

/** Most bytes that a browser loads before it shows anything, compressed. */
const MOST_PAGE_BYTES = 80_000;

/** @returns the files by name; throws if the page is too large for a phone on a slow connection */
export async function pageFiles() {
  const { outputFiles } = await build({
    entryPoints: [
      { in: join(source, "main.tsx"), out: "app" },
      { in: join(source, "style", "index.css"), out: "app" },
    ],
    outdir: "page",
    write: false,
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    conditions: ["lathe-source"],
    tsconfig: join(root, "packages", "web", "tsconfig.json"),
    legalComments: "none",
    logLevel: "warning",
  });
  const outputBytes = (end) => Buffer.from(outputFiles.find(({ path }) => path.endsWith(end)).contents);
  const files = {
    "index.html": await readFile(join(source, "index.html")),
    "app.js": outputBytes("app.js"),
    "app.css": outputBytes("app.css"),
  };
  const bytes = Object.values(files).reduce((sum, file) => sum + gzipSync(file).length, 0);
  if (bytes > MOST_PAGE_BYTES)
    throw new Error(`The page has ${bytes} bytes compressed, the limit is ${MOST_PAGE_BYTES}.`);
  return files;
}
