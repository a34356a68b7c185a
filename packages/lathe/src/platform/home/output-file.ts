// A file that the user asked for, such as an exported page: whole or not at all, for its owner alone, and never written through a link
// that someone else may have put there.

import { randomBytes } from "node:crypto";
import { lstatSync } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { usageError } from "../usage/exit.ts";

/** A new file, or another content for the regular file that is there. `write` gets a file beside it, which takes its place at the end. */
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
    // A link that was put there meanwhile is replaced, not followed.
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
  const what = there.isSymbolicLink() ? "a link" : there.isDirectory() ? "a folder" : "no regular file";
  throw usageError(`${file} is ${what}, and is left as it is. Choose another file for the page.`);
}
