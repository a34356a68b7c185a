// Lists the processes that the command has started.

import { readdirSync, readFileSync } from "node:fs";
import { isAlive } from "../../agent/test/alive.ts";

export interface Running {
  readonly pid: number;
  /** Its command line. */
  readonly line: string;
}

/** Processes that were started with this home. */
export const startedIn = (home: string): Running[] =>
  processes((pid) => readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(`HOME=${home}`));

/** Processes with this in their command line. */
export const runningWith = (mark: string): Running[] => processes(() => true).filter(({ line }) => line.includes(mark));

function processes(isOurs: (pid: number) => boolean): Running[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && isAlive(Number(name)))
    .flatMap((name) => {
      try {
        const line = readFileSync(`/proc/${name}/cmdline`, "latin1").replaceAll("\0", " ");
        return isOurs(Number(name)) ? [{ pid: Number(name), line }] : [];
      } catch {
        return []; // it has just ended
      }
    });
}

/** All processes that a process has started, directly or indirectly. */
export function descendantsOf(owner: number): Running[] {
  const parents = new Map<number, number>();
  const all = processes((pid) => {
    // The name of a program may contain anything, so use the last bracket.
    const [, parent] = readFileSync(`/proc/${pid}/stat`, "latin1")
      .replace(/^.*\) /s, "")
      .split(" ");
    parents.set(pid, Number(parent));
    return true;
  });
  const isBelow = (pid: number | undefined): boolean =>
    pid !== undefined && (pid === owner || isBelow(parents.get(pid)));
  return all.filter(({ pid }) => pid !== owner && isBelow(pid));
}
