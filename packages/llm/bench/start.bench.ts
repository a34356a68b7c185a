// Start-up: a process that imports the bundled client and makes one, over a bare node.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { type Bench, ratio } from "../../../scripts/bench-types.ts";

const ENTRY = fileURLToPath(new URL("../src/index.ts", import.meta.url));

function spawnTime(args: readonly string[]): number {
  const began = performance.now();
  execFileSync(process.execPath, args, { env: { ANTHROPIC_API_KEY: "none" } });
  return performance.now() - began;
}

export const benches: readonly Bench[] = [
  {
    name: "import of the client and Client.fromEnv over bare node",
    async run() {
      const folder = mkdtempSync(join(tmpdir(), "start-"));
      try {
        await build({
          entryPoints: [ENTRY],
          bundle: true,
          minify: true,
          platform: "node",
          format: "esm",
          splitting: true,
          outdir: join(folder, "llm"),
          outExtension: { ".js": ".mjs" },
          conditions: ["lathe-source"],
        });
        const main = join(folder, "main.mjs");
        writeFileSync(main, 'import { Client } from "./llm/index.mjs"; Client.fromEnv();');
        writeFileSync(join(folder, "bare.mjs"), "");
        let bare = Number.POSITIVE_INFINITY;
        let ours = Number.POSITIVE_INFINITY;
        for (let round = 0; round < 15; round++) {
          bare = Math.min(bare, spawnTime([join(folder, "bare.mjs")]));
          ours = Math.min(ours, spawnTime([main]));
        }
        return ratio(ours, bare, { budget: 2, unit: "ms" });
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  },
];
