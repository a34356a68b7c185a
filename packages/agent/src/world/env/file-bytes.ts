// The bytes of an open local file. What takes microseconds is done at once: a trip to the disk's threads and back takes many
// times that, and an edit of hundreds of files would make thousands of them. Opening to write, and the bytes of large files, go there.

import { open, read, readSync, write, writeSync } from "node:fs";
import { promisify } from "node:util";

/** A descriptor, which costs less than a handle of node:fs/promises; the caller that opened it closes it. */
export const openFile: (path: string, flags: string | number, mode?: number) => Promise<number> = promisify(open);
const readAside = promisify(read);
const writeAside = promisify(write);

/** What is transferred at once. */
const SMALL_BYTES = 64 << 10;
/** First room for a file whose size the system does not tell, as in /proc. */
const UNKNOWN_SIZE = 4096;

/** `size` is what the system says; a file that has more by now is read to its end. */
export async function readWhole(fd: number, size: number): Promise<Buffer> {
  // With room for one byte more: a read that leaves it empty has met the end.
  let buffer = Buffer.allocUnsafeSlow(size === 0 ? UNKNOWN_SIZE : size + 1);
  for (let filled = 0; ; ) {
    const got = await readSome(fd, buffer.subarray(filled), null);
    filled += got;
    if (got === 0 || filled === size) return buffer.subarray(0, filled);
    if (filled === buffer.length) buffer = Buffer.concat([buffer], filled * 2);
  }
}

/** Reads what fits into `room`, or less. */
export async function readSome(fd: number, room: Buffer, position: number | null): Promise<number> {
  if (room.length <= SMALL_BYTES) return readSync(fd, room, 0, room.length, position);
  return (await readAside(fd, room, 0, room.length, position)).bytesRead;
}

export async function writeWhole(fd: number, content: string | Uint8Array): Promise<void> {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  for (let written = 0; written < bytes.length; ) {
    const rest = bytes.length - written;
    written +=
      rest <= SMALL_BYTES
        ? writeSync(fd, bytes, written, rest)
        : (await writeAside(fd, bytes, written, rest)).bytesWritten;
  }
}
