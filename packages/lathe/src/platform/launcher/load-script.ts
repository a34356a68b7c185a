// Loads a script with its compiled code. Both files go through the same buffer: touching new memory costs more than
// reading.

import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import { Script } from "node:vm";

export interface LoadedScript {
  readonly script: Script;
  /** Whether no matching compiled code was found. */
  readonly fresh: boolean;
  /** How many units the start used that wrote the compiled code. */
  readonly knownUnits: number;
}

/** Each file of compiled code ends with a number of units, this many bytes long. */
export const COUNT_BYTES = 4;

/** Memory that is never touched costs nothing. */
const ROOM_BYTES = 4 * 1024 * 1024;

export function loadScript(path: string, cacheFile: string): LoadedScript {
  const room = Buffer.allocUnsafeSlow(ROOM_BYTES);
  const file = openSync(path, "r");
  const size = readSync(file, room, 0, ROOM_BYTES, null);
  closeSync(file);
  const source = size < ROOM_BYTES ? room.subarray(0, size).toString() : readFileSync(path, "utf8");
  let cachedData: Buffer | undefined;
  let knownUnits = 0;
  try {
    const cache = openSync(cacheFile, "r");
    const end = readSync(cache, room, 0, ROOM_BYTES, null) - COUNT_BYTES;
    closeSync(cache);
    knownUnits = room.readUInt32LE(end);
    cachedData = room.subarray(0, end);
  } catch {
    // first run, no home to write to, or a damaged file
  }
  const script = new Script(source, { filename: path, ...(cachedData ? { cachedData } : {}) });
  return { script, fresh: cachedData === undefined || script.cachedDataRejected === true, knownUnits };
}
