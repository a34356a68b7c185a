// Keeps compiled code for the next start. A cache that cannot be written costs time, never correctness: the launcher then
// compiles the source.

import { mkdirSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import type { Script } from "node:vm";

/** @param folder ends with a slash */
export function writeCaches(folder: string, scripts: ReadonlyMap<string, Script>): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const [pack, script] of scripts) {
      const target = `${folder}${pack}.bin`;
      writeWhole(target, `${target}.${process.pid}`, script.createCachedData());
    }
  } catch {
    // a read-only or full home: the next start compiles again
  }
}

/** Half a file would take the space that the session needs. */
function writeWhole(target: string, temporary: string, bytes: Buffer): void {
  try {
    writeFileSync(temporary, bytes);
    renameSync(temporary, target);
  } catch (error) {
    unlinkSync(temporary);
    throw error;
  }
}
