// How much memory is left for new commands, on the machine and within our control group.

import { readFileSync } from "node:fs";
import { type ControlGroups, ownGroups } from "./control-groups.ts";

/** Bytes of memory still available; undefined if the system does not tell. */
export type FreeMemory = () => number | undefined;

/** Looks up our control group once; each call then reads a few small files. */
export function freeMemory(groups: ControlGroups = ownGroups()): FreeMemory {
  return () => {
    const values = [machineFree(), ...groups.memory.map(groupFree)].filter((value) => value !== undefined);
    return values.length === 0 ? undefined : Math.min(...values);
  };
}

function machineFree(): number | undefined {
  const [, kilobytes] = /^MemAvailable: +(\d+) kB/m.exec(readText("/proc/meminfo") ?? "") ?? [];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

/** A version 1 limit above this means that there is none. */
const UNLIMITED = 2 ** 50;

/** File pages that can be dropped at any time do not count as used. */
function groupFree(folder: string): number | undefined {
  const limit = Number(readText(`${folder}/memory.max`) ?? readText(`${folder}/memory.limit_in_bytes`));
  const used = Number(readText(`${folder}/memory.current`) ?? readText(`${folder}/memory.usage_in_bytes`));
  if (!(limit < UNLIMITED) || Number.isNaN(used)) return undefined;
  const stat = readText(`${folder}/memory.stat`) ?? "";
  const cached = Number(/^(?:total_inactive_file|inactive_file) (\d+)/m.exec(stat)?.[1] ?? 0);
  return Math.max(0, limit - Math.max(0, used - cached));
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return undefined; // not on this system, or gone
  }
}
