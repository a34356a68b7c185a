// Where compiled code is kept between runs. A cache that cannot be read or written costs time, never correctness: the
// launcher then compiles the source.

import { mkdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import type { Script } from "node:vm";

/** Emitted on `process` when the first model request has been sent. */
export const FIRST_REQUEST = "lathe:first-request";

export function cacheFolder(
  env: Readonly<Record<string, string | undefined>>,
  version: string,
  nodeVersion: string,
  arch: string,
): string {
  const home = env["LATHE_HOME"] || `${env["HOME"] || process.getBuiltinModule("node:os").homedir()}/.lathe`;
  return `${home}/cache/code/${version}-${nodeVersion}-${arch}/`;
}

// Every pack name carries the hash of its content, so a cache never meets another source.
const cacheFile = (folder: string, pack: string): string => `${folder}${pack}.bin`;

export function readCache(folder: string, pack: string): Buffer | undefined {
  try {
    return readFileSync(cacheFile(folder, pack));
  } catch {
    return undefined; // first run, or no home to write to
  }
}

export function writeCaches(folder: string, scripts: ReadonlyMap<string, Script>): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const [pack, script] of scripts) {
      const target = cacheFile(folder, pack);
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
