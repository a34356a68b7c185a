// Which processes the command has started.

import { readdirSync, readFileSync } from "node:fs";
import { isAlive } from "../../agent/test/alive.ts";

/** Processes that were started with this home. */
export function startedIn(home: string): { readonly pid: number; readonly line: string }[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && isAlive(Number(name)))
    .flatMap((name) => {
      try {
        const isOurs = readFileSync(`/proc/${name}/environ`, "latin1").split("\0").includes(`HOME=${home}`);
        const line = readFileSync(`/proc/${name}/cmdline`, "latin1").replaceAll("\0", " ");
        return isOurs ? [{ pid: Number(name), line }] : [];
      } catch {
        return []; // it has just ended
      }
    });
}
