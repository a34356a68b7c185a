// Keeps compiled code for the next start. A cache that cannot be written costs time, never correctness: the launcher then
// compiles the source.

import { mkdirSync, readdirSync, renameSync, rmSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import type { Script } from "node:vm";
import { COUNT_BYTES } from "./load-script.ts";

/** A process that still uses a version after that compiles it once more. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * @param root of all caches
 * @param folder below it; both end with a slash
 * @param unitCount how many units of the start pack were used so far
 */
export function writeCaches(
  root: string,
  folder: string,
  scripts: ReadonlyMap<string, Script>,
  unitCount: number,
): void {
  const count = Buffer.alloc(COUNT_BYTES);
  count.writeUInt32LE(unitCount);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    forgetOld(root, Date.now() - KEPT_MS);
    for (const [pack, script] of scripts) {
      const target = `${folder}${pack}.bin`;
      writeWhole(target, `${target}.${process.pid}`, Buffer.concat([script.createCachedData(), count]));
    }
  } catch {
    // a read-only or full home: the next start compiles again
  }
}

/** Caches of versions, of node and of this program, that are no longer used. */
function forgetOld(root: string, before: number): void {
  for (const name of readdirSync(root)) {
    const path = root + name;
    if (statSync(path).mtimeMs < before) rmSync(path, { recursive: true, force: true });
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
