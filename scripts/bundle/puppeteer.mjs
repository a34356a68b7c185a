// Puppeteer as one script without dependencies: no files, no packages and nothing of Node. It runs where scripts of
// tabs run.
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { build } from "esbuild";

/** Imports in its browser build that are never loaded there. */
const NEVER_LOADED = /^(?:node:.*|ws|debug|@puppeteer\/browsers|chromium-bidi.*)$|\/bidi\/|^\.\.?\/node\//;

const withoutRest = {
  name: "without-rest",
  setup(builder) {
    builder.onResolve({ filter: NEVER_LOADED }, ({ path, kind }) =>
      kind === "entry-point" ? undefined : { path, namespace: "never-loaded" },
    );
    builder.onLoad({ filter: /.*/, namespace: "never-loaded" }, () => ({ contents: "module.exports = {}" }));
  },
};

export async function puppeteerCode() {
  const folder = dirname(createRequire(import.meta.url).resolve("puppeteer-core/package.json"));
  const { outputFiles } = await build({
    entryPoints: [join(folder, "lib/esm/puppeteer/puppeteer-core-browser.js")],
    bundle: true,
    minify: true,
    // Errors contain the names of their classes, so keep names.
    keepNames: true,
    write: false,
    format: "iife",
    globalName: "Puppeteer",
    platform: "browser",
    target: "node20.19",
    plugins: [withoutRest],
  });
  return outputFiles[0].text;
}
