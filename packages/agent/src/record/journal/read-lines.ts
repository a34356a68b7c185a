// Lines of a session file for projections (search, statistics) that follow it as it grows: no index, no lock, no tree.

import { closeSync, fstatSync, readSync } from "node:fs";
import { forEachLine, isIntact } from "./line.ts";
import { openRegularFile } from "./regular-file.ts";

/**
 * Visits the complete, intact lines that begin at or after `from`, and returns where to continue when the file has
 * grown: a last line without its newline may still be being written. The buffer is only valid during the visit.
 */
export function readLines(
  path: string,
  from: number,
  visit: (line: Buffer, offset: number) => void,
  damaged: () => void = () => {},
): number {
  const fd = openRegularFile(path);
  try {
    const { size } = fstatSync(fd);
    let next = size;
    const read = (offset: number, length: number): Buffer => {
      const buffer = Buffer.allocUnsafe(length);
      return buffer.subarray(0, readSync(fd, buffer, 0, length, from + offset));
    };
    forEachLine(read, size - from, {
      line(line, offset, ended) {
        if (!ended) next = from + offset;
        else if (isIntact(line)) visit(line, from + offset);
        else damaged();
      },
      tooLong(_length, offset, ended) {
        if (!ended) next = from + offset;
        else damaged();
      },
    });
    return next;
  } finally {
    closeSync(fd);
  }
}
