// Bundles a program of a test or bench into one file, so that it starts without a loader, as fast as the product.

import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";

/** Sources find their neighbours relative to themselves, not to the bundle. */
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
   * Lazily loaded modules stay in separate files, so that modules start in their own order even if some are loaded both
   * ways. A package that is no module has no named exports then.
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
    // Packages that are no modules load Node's own with `require`.
    banner: {
      js: 'import { createRequire as requireOf } from "node:module"; globalThis.require ??= requireOf(import.meta.url);',
    },
    plugins: [ownAddress],
    logLevel: "error",
  });
}

/** @returns the path of the bundle, among the run's temporary files */
export async function bundleOf(entry: string, from: string, options?: BundleOptions): Promise<string> {
  const outfile = join(mkdtempSync(join(tmpdir(), "program-")), `${basename(entry, ".ts")}.mjs`);
  await bundleProgram(fileURLToPath(new URL(entry, from)), outfile, options);
  return outfile;
}
