// Start-up of a host: a program that imports the loop as it is published, over a bare node.

import { execFileSync } from "node:child_process";
import { type Bench, ratio } from "../../../scripts/bench-types.ts";
import { installPackages } from "../../../scripts/installed-packages.ts";

const ROUNDS = 15;

function spawnTime(...args: readonly string[]): number {
  const began = performance.now();
  execFileSync(process.execPath, args);
  return performance.now() - began;
}

export const benches: readonly Bench[] = [
  {
    name: "import of the loop over bare node",
    async run() {
      const installed = await installPackages(["llm", "agent"]);
      try {
        const host = installed.write("host.js", 'import "@lathe/agent";\n');
        let best = { ours: Number.POSITIVE_INFINITY, bare: Number.POSITIVE_INFINITY };
        for (let round = 0; round < ROUNDS; round++) {
          best = { ours: Math.min(best.ours, spawnTime(host)), bare: Math.min(best.bare, spawnTime("-e", "0")) };
        }
        return ratio(best.ours, best.bare, { budget: 4, unit: "ms" });
      } finally {
        installed.remove();
      }
    },
  },
];
