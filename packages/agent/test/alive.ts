// Inspects real processes for tests.

import { readFileSync } from "node:fs";

/** True if the process runs or sleeps; a zombie counts as dead. */
export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return !"ZX".includes(stat.slice(stat.lastIndexOf(")") + 2)[0]!);
  } catch {
    return false;
  }
}

/**
 * Waits for a condition; the test's own timeout is the deadline. Checks less and less often, because looking at all
 * processes costs time.
 */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let pause = 5; !(await condition()); pause = Math.min(pause * 1.5, 60)) {
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
