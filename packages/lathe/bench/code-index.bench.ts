// What it costs to bring the code index of this repository up to date after one change, against making it.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { LocalEnvironment } from "@lathe/agent";
import type { Bench } from "../../../scripts/bench-types.ts";
import { CodeIndex } from "../src/additions/code-index/code-index.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const ROUNDS = 5;

export const benches: Bench[] = [
  {
    name: "code index after one change over the first run",
    async run() {
      const folder = mkdtempSync(join(tmpdir(), "lathe-index-bench-"));
      const changed = join(ROOT, "packages/lathe/bench/changed-for-bench.ts");
      const env = new LocalEnvironment({ cwd: ROOT, baseEnv: process.env });
      const index = new CodeIndex({ env, file: join(folder, "index.db") });
      const { signal } = new AbortController();
      let files = 0;
      const refresh = async (): Promise<number> => {
        const begun = performance.now();
        await index.refresh(signal, (count) => {
          files = Math.max(files, count);
        });
        return performance.now() - begun;
      };
      try {
        const first = await refresh();
        let again = Number.POSITIVE_INFINITY;
        for (let round = 0; round < ROUNDS; round++) {
          writeFileSync(changed, `export const round = ${"1".repeat(round + 1)};\n`);
          again = Math.min(again, await refresh());
        }
        const note = `${again.toFixed(0)} ms against ${first.toFixed(0)} ms for ${files} files`;
        return { value: again / first, unit: "x", budget: 0.05, note };
      } finally {
        rmSync(changed, { force: true });
        await index.close();
        await env.cleanup();
        rmSync(folder, { recursive: true, force: true });
      }
    },
  },
];
