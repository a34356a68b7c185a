// Writes a file that the user asked for, such as an exported page: completely or not at all, readable by its owner
// only, and never through a link that someone else may have created.

import { randomBytes } from "node:crypto";
import { lstatSync } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { usageError } from "../usage/exit.ts";

/** Creates a file or replaces a regular one. `write` gets a temporary file next to it, which is renamed at the end. */
export async function writeOutputFile(file: string, write: (handle: FileHandle) => Promise<void>): Promise<void> {
  const aside = `${file}.${randomBytes(6).toString("hex")}.new`;
  try {
    checkTarget(file);
    const handle = await open(aside, "wx", 0o600);
    try {
      await write(handle);
    } finally {
      await handle.close();
    }
    // If a link was created in the meantime, this replaces it instead of following it.
    await rename(aside, file);
  } catch (error) {
    await rm(aside, { force: true }).catch(() => {});
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    const why = (error as Error).message.replaceAll(aside, file);
    throw usageError(`The page cannot be written: ${why}. Choose another file for it.`);
  }
}

function checkTarget(file: string): void {
  const there = lstatSync(file, { throwIfNoEntry: false });
  if (there === undefined || there.isFile()) return;
  const what = there.isSymbolicLink() ? "a link" : there.isDirectory() ? "a folder" : "not a regular file";
  throw usageError(`${file} is ${what}, and is left as it is. Choose another file for the page.`);
}
