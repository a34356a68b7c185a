// Lines of a session file for projections (search, statistics) that follow it as it grows: no index, no lock, no tree.

import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { BlobStore } from "../blobs/store.ts";
import { forEachLine, isIntact, parseLine } from "./line.ts";
import { repairMissing } from "./missing.ts";
import { fromStored, mentionsBlob } from "./payload.ts";

/**
 * Visits the whole, intact lines that begin at or after `from`, and returns where to go on when the file has grown: a last
 * line without its newline may still be in the making. The buffer is only good during the visit.
 */
export function readLines(path: string, from: number, visit: (line: Buffer, offset: number) => void): number {
  const fd = openSync(path, "r");
  try {
    const { size } = fstatSync(fd);
    let next = size;
    const read = (offset: number, length: number): Buffer => {
      const buffer = Buffer.allocUnsafe(length);
      return buffer.subarray(0, readSync(fd, buffer, 0, length, from + offset));
    };
    forEachLine(read, size - from, (line, offset, ended) => {
      if (!ended) next = from + offset;
      else if (isIntact(line)) visit(line, from + offset);
    });
    return next;
  } finally {
    closeSync(fd);
  }
}

/** A line's value with what was put into blobs; a lost blob becomes a notice. */
export function decodeLine(line: Buffer, blobs: BlobStore): Record<string, unknown> {
  const stored = parseLine(line);
  if (!mentionsBlob(line)) return stored;
  let lost = false;
  const value = fromStored(stored, blobs, () => {
    lost = true;
  }) as Record<string, unknown>;
  return lost ? repairMissing(value) : value;
}
