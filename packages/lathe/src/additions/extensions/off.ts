// Extensions that the watchdog turned off because they blocked Lathe. They stay off until the user turns them on again.

import { writeFileSync } from "node:fs";
import type { Workspace } from "../../config/workspace/workspace.ts";
import { readIfThere } from "../../platform/home/small-file.ts";

export interface TurnedOff {
  readonly name: string;
  readonly reason: string;
}

export const offFileOf = ({ paths }: Pick<Workspace, "paths">): string => `${paths.home}/extensions-off.json`;

/** Extensions that are turned off, by file. */
export function readTurnedOff(offFile: string): Readonly<Record<string, TurnedOff>> {
  try {
    return JSON.parse(readIfThere(offFile) ?? "{}") as Record<string, TurnedOff>;
  } catch {
    return {}; // incomplete: the watchdog ends the process right after it writes
  }
}

/** Turns an extension on. False if it was not off. */
export function turnOn(offFile: string, name: string): boolean {
  const off = readTurnedOff(offFile);
  const left = Object.entries(off).filter(([, one]) => one.name !== name);
  if (left.length === Object.keys(off).length) return false;
  writeFileSync(offFile, `${JSON.stringify(Object.fromEntries(left), null, 2)}\n`);
  return true;
}
