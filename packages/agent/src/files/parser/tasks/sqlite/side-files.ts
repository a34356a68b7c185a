// The files that SQLite keeps next to a database and opens by name: log, journal and shared-memory file. Permissions
// have not judged them, and such files in a repository could make SQLite read, or even delete, a file elsewhere.

import { closeSync, fstatSync, lstatSync, openSync, readSync } from "node:fs";
import { basename } from "node:path";
import { CannotParse } from "../types.ts";

const SUFFIXES = ["-wal", "-journal", "-shm"] as const;
/** Ends a journal that names another file; every journal also begins with it. */
const JOURNAL_MAGIC = Buffer.from("d9d505f920a163d7", "hex");
/** Length of the name, its checksum, the magic. */
const NAME_END_BYTES = 16;

/** A link would lead to a file that permissions have not judged. */
export function mustBePlainBeside(file: string): void {
  for (const suffix of SUFFIXES) {
    const stat = lstatSync(file + suffix, { throwIfNoEntry: false });
    if (stat && !stat.isFile())
      throw new CannotParse(
        `${basename(file + suffix)} beside it is ${stat.isSymbolicLink() ? "a link" : "no file"}, whose target is not part of the database; remove it if it is not needed`,
      );
  }
}

/** Rolling back such a journal deletes the file that it names, whatever that is. */
export function mustNameNoOther(journal: string): void {
  if (!lstatSync(journal, { throwIfNoEntry: false })?.isFile()) return;
  const descriptor = openSync(journal, "r");
  try {
    const { size } = fstatSync(descriptor);
    if (size < NAME_END_BYTES) return;
    const end = Buffer.alloc(NAME_END_BYTES);
    readSync(descriptor, end, 0, end.length, size - end.length);
    if (end.readUInt32BE(0) === 0 || !end.subarray(8).equals(JOURNAL_MAGIC)) return;
  } finally {
    closeSync(descriptor);
  }
  throw new CannotParse(
    "a program has left a change of several files unfinished in it, and undoing that would delete one of them; open it with sqlite3 in the shell if you trust it",
  );
}
