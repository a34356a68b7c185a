// Whether a file contains a session. A process that is killed, or finds the disk full, between creating a journal and
// writing its first line leaves an empty file or a part of that line; nothing in it was acknowledged, so the path may
// be reused.

import { statSync } from "node:fs";
import { JOURNAL_VERSION } from "../../contract/journal.ts";
import { salvage } from "./line.ts";
import { readStart } from "./regular-file.ts";

/** Longer than any header: a file without a line break in this range is something else. */
const LONGEST_HEADER = 64 << 10;
const HEADER_START = `{"type":"session","version":${JOURNAL_VERSION},"id":"`;

/** False if the file is missing, empty, or ends inside one of our headers. Any other kind of file returns true. */
export function hasBegun(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return false;
  return !stat.isFile() || !breaksOffInHeader(stat.size, (length) => readStart(path, length));
}

/** Whether a file of `size` bytes ends inside its header. */
export function breaksOffInHeader(size: number, readStart: (length: number) => Buffer): boolean {
  if (size === 0) return true;
  if (size >= LONGEST_HEADER) return false;
  const start = readStart(size);
  if (start.includes(10)) return false;
  return (
    HEADER_START.startsWith(start.toString("latin1", 0, HEADER_START.length)) && salvage(start).intact.length === 0
  );
}
