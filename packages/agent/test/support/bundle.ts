// A program of a test or bench, made one file: it then starts without a loader, as fast as the product does.

import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";

/** Sources find their neighbours from where they are, not from where the bundle is. */
const ownAddress: Plugin = {
  name: "own-address",
  setup({ onLoad }) {
    onLoad({ filter: /\/packages\/\w+\/(src|test|bench)\/.*\.ts$/ }, ({ path }) => ({
      loader: "ts",
      contents: readFileSync(path, "utf8")
        .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href))
        .replaceAll("import.meta.dirname", JSON.stringify(dirname(path))),
    }));
  },
};

interface BundleOptions {
  /**
   * What is loaded later stays in files of its own, so that modules begin in their own order where some are loaded both ways. A package
   * that is no module has no named exports then.
   */
  readonly isSplit?: boolean;
}

export function bundleProgram(
  entry: string,
  outfile: string,
  { isSplit = false }: BundleOptions = {},
): Promise<unknown> {
  return build({
    entryPoints: [entry],
    outdir: dirname(outfile),
    entryNames: basename(outfile, ".mjs"),
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: isSplit,
    platform: "node",
    format: "esm",
    target: "node20.19",
    conditions: ["lathe-source"],
    loader: { ".md": "text", ".py": "text", ".text": "text" },
    external: ["web-tree-sitter", "@vscode/*", "@ast-grep/*"],
    // Packages that are no modules ask for those of node by `require`.
    banner: {
      js: 'import { createRequire as requireOf } from "node:module"; globalThis.require ??= requireOf(import.meta.url);',
    },
    plugins: [ownAddress],
    logLevel: "error",
  });
}

/** @returns where the bundle is, among the temporary files of the run */
export async function bundleOf(entry: string, from: string, options?: BundleOptions): Promise<string> {
  const outfile = join(mkdtempSync(join(tmpdir(), "program-")), `${basename(entry, ".ts")}.mjs`);
  await bundleProgram(fileURLToPath(new URL(entry, from)), outfile, options);
  return outfile;
}
