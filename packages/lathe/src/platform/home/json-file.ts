// A small JSON file in the user's home, changed under a lock, replaced as a whole and readable by its owner only.

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
    // The parser quotes the file in its message, and that quote may contain a part of a token.
    const what = (error as Error).message.replace(/, (?:\.\.\.)?"[\s\S]*$/, "");
    throw new CliError(EXIT.usage, `${file} is not valid JSON: ${what}. Fix or remove it.`, { cause: error });
  }
}

/** The text; undefined if the file does not exist. */
export function readTextFile(file: string): string | undefined {
  try {
    return readIfThere(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CliError(EXIT.usage, `Cannot read ${file}: ${code}. Fix or remove it.`, { cause: error });
  }
}

export interface Writing {
  /** Whether the file is flushed to disk before the call returns, so that a power failure cannot undo it. */
  readonly syncs?: boolean;
  /** Mode of a file that others may read too; by default only its owner can. */
  readonly mode?: number;
}

/** Reads, changes and writes the file while no other process can change it. */
export async function updateJsonFile(
  file: string,
  change: (value: unknown) => unknown | Promise<unknown>,
  writing: Writing = {},
): Promise<void> {
  await withFileLock(file, async () => {
    await replaceFile(file, `${JSON.stringify(await change(readJsonFile(file)), null, 2)}\n`, writing);
  });
}

/**
 * Replaces the file completely or not at all. A symbolic link stays a link, because people keep such files elsewhere.
 */
export async function replaceFile(file: string, text: string, { syncs = false, mode }: Writing = {}): Promise<void> {
  const target = await realpath(file).catch(() => file);
  const temporary = `${target}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, text, { mode: 0o600, flush: syncs });
    if (mode !== undefined) await chmod(temporary, mode);
    await rename(temporary, target);
  } catch (error) {
    // Half a file is useless and takes up space on a full disk. The error below says why the write failed; a failure to
    // remove the file would show up next time.
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
  const release = await prepareToWrite(file);
  try {
    return await work();
  } finally {
    await release();
  }
}

/** What the system says of a folder that we may not write. `mkdir` calls it missing if its file system is read-only. */
const NOT_WRITABLE: ReadonlySet<unknown> = new Set(["EACCES", "EEXIST", "ENOENT", "ENOTDIR", "EPERM", "EROFS"]);

/** Makes the folder of the file and locks the file. */
async function prepareToWrite(file: string): Promise<() => Promise<void>> {
  const folder = dirname(file);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return await takeLock(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined || !NOT_WRITABLE.has(code)) throw error;
    const { reasonOf, whyUnwritable } = await import("./unwritable.ts");
    const why = whyUnwritable(folder) ?? reasonOf(code);
    const message = `${folder} cannot be written (${why}). Make it writable, or set LATHE_HOME to another folder.`;
    throw new CliError(EXIT.usage, message, { cause: error });
  }
}

const STALE_MS = 10_000;
/** Together longer than it takes for the lock of a dead process to become stale. */
const WAITS = 100;
const LONGEST_WAIT_MS = 200;

/** Waits only for another process: if the disk cannot be written, it throws at once. */
async function takeLock(file: string): Promise<() => Promise<void>> {
  const { lock } = await import("proper-lockfile");
  // By default the library ends the process when the disk fails while a lock is held. Releasing the lock reports that
  // failure.
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
