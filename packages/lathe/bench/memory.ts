// Memory of the built command, in a process of its own.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const CLI = fileURLToPath(new URL("../dist/cli.js", import.meta.url));
const REPORT = fileURLToPath(new URL("./report-memory.cjs", import.meta.url));

/**
 * The most it held, in bytes, and how long it took. `heapMegabytes`: the collector has to run before the heap is larger, and in no
 * thread of its own, so that what was held does not depend on how busy the machine is; a command that needs more fails.
 */
export function memoryOf(
  args: readonly string[],
  heapMegabytes?: number,
): { readonly bytes: number; readonly ms: number } {
  const home = mkdtempSync(join(tmpdir(), "lathe-memory-"));
  const file = join(home, "report");
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    LATHE_HOME: home,
    NODE_OPTIONS: `--require ${REPORT}`,
    MEMORY_REPORT: file,
  };
  try {
    const begun = performance.now();
    const heap =
      heapMegabytes === undefined
        ? []
        : [`--max-old-space-size=${heapMegabytes}`, "--max-semi-space-size=2", "--single-threaded-gc"];
    const run = spawnSync(process.execPath, [...heap, CLI, ...args], {
      cwd: home,
      env,
      stdio: ["ignore", "ignore", "pipe"],
    });
    if (run.status !== 0) throw new Error(`lathe ${args.join(" ")}: ${run.stderr}`);
    return { bytes: Number(readFileSync(file, "utf8")), ms: performance.now() - begun };
  } finally {
    rmSync(home, { recursive: true });
  }
}
