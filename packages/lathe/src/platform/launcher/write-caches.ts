// Saves compiled code for the next start. A cache that cannot be written costs time, never correctness: the launcher
// then compiles the source.

import { mkdirSync, readdirSync, renameSync, rmSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import type { Script } from "node:vm";
import { COUNT_BYTES } from "./load-script.ts";

/** If a version is still in use after that, its next start compiles it once more. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * @param root the folder of all caches
 * @param folder a folder below it; both end with a slash
 * @param unitCount how many units of the start pack have been used so far
 */
export function writeCaches(
  root: string,
  folder: string,
  scripts: ReadonlyMap<string, Script>,
  unitCount: number,
): void {
  // Nothing can be created there, and node never stops trying.
  if (folder.startsWith("/proc/")) return;
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
    // the home directory is read-only or full: the next start compiles again
  }
}

/** Removes caches of Node and Lathe versions that are no longer used. */
function forgetOld(root: string, before: number): void {
  for (const name of readdirSync(root)) {
    const path = root + name;
    if (statSync(path).mtimeMs < before) rmSync(path, { recursive: true, force: true });
  }
}

/** A partial file would take up space that the session needs. */
function writeWhole(target: string, temporary: string, bytes: Buffer): void {
  try {
    writeFileSync(temporary, bytes);
    renameSync(temporary, target);
  } catch (error) {
    unlinkSync(temporary);
    throw error;
  }
}
