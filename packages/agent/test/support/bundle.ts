// A program of a test or bench, made one file: it then starts without a loader, as fast as the product does.

import { build } from "esbuild";

export function bundleProgram(entry: string, outfile: string): Promise<unknown> {
  return build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20.19",
    conditions: ["lathe-source"],
    loader: { ".md": "text" },
    external: ["web-tree-sitter", "@vscode/*", "@ast-grep/*"],
    logLevel: "error",
  });
}
