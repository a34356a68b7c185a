// A small JSON file of the user's, changed under a lock and replaced as a whole, readable by its owner only.

import { chmod, mkdir, open, realpath, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import { CliError, EXIT } from "../usage/exit.ts";
import { readIfThere } from "./small-file.ts";

export function readJsonFile(file: string): unknown {
  const text = readTextFile(file);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    // What the parser quotes of the file may be a part of a token.
    const what = (error as Error).message.replace(/, (?:\.\.\.)?"[\s\S]*$/, "");
    throw new CliError(EXIT.usage, `${file} is not valid JSON: ${what}. Fix or remove it.`, { cause: error });
  }
}

/** Undefined when there is none. */
export function readTextFile(file: string): string | undefined {
  try {
    return readIfThere(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CliError(EXIT.usage, `Cannot read ${file}: ${code}. Fix or remove it.`, { cause: error });
  }
}

export interface Writing {
  /** It is on the disk when the call returns: a power failure must not take it back. */
  readonly syncs?: boolean;
  /** Of a file that others may read as well; else its owner only. */
  readonly mode?: number;
}

/** Read, change, write, with no other process in between. */
export async function updateJsonFile(
  file: string,
  change: (value: unknown) => unknown | Promise<unknown>,
  writing: Writing = {},
): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await withFileLock(file, async () => {
    await replaceFile(file, `${JSON.stringify(await change(readJsonFile(file)), null, 2)}\n`, writing);
  });
}

/** Replaces the file whole or not at all. A link stays a link, because people keep such files elsewhere. */
export async function replaceFile(file: string, text: string, { syncs = false, mode }: Writing = {}): Promise<void> {
  const target = await realpath(file).catch(() => file);
  const temporary = `${target}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, text, { mode: 0o600, flush: syncs });
    if (mode !== undefined) await chmod(temporary, mode);
    await rename(temporary, target);
  } catch (error) {
    // Half of it is of no use, and takes room on a disk that is full. Why it failed is told; that it stays would be told next time.
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  if (syncs) await syncFolder(dirname(target));
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export async function withFileLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const release = await takeLock(file);
  try {
    return await work();
  } finally {
    await release();
  }
}

const STALE_MS = 10_000;
/** Longer than it takes for a lock whose process has died to become stale. */
const WAITS = 100;
const LONGEST_WAIT_MS = 200;

/** Waits for another process only: a disk that cannot be written is said at once. */
async function takeLock(file: string): Promise<() => Promise<void>> {
  const { lock } = await import("proper-lockfile");
  // A disk that breaks while the lock is held must not end the process, which is what the library does by itself: giving it back tells.
  const options = { realpath: false, stale: STALE_MS, onCompromised: () => undefined };
  for (let wait = 0; ; wait++) {
    try {
      return await lock(file, options);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ELOCKED") throw error;
      if (wait === WAITS)
        throw new CliError(EXIT.usage, `${file} is being changed by another process. Try again when that is done.`);
      await setTimeout(Math.min(10 * 2 ** wait, LONGEST_WAIT_MS));
    }
  }
}
