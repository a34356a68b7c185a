// The bytes of an open local file. Work that takes microseconds is synchronous: a round trip to libuv's thread pool
// takes many times longer, and an edit of hundreds of files would make thousands of them. Opening for writing, and the
// bytes of large files, use the thread pool.

import { open, read, readSync, write, writeSync } from "node:fs";
import { promisify } from "node:util";

/** Returns a descriptor, which is cheaper than a handle of node:fs/promises; the caller must close it. */
export const openFile: (path: string, flags: string | number, mode?: number) => Promise<number> = promisify(open);
const readAside = promisify(read);
const writeAside = promisify(write);

/** Reads and writes up to this size are synchronous. */
const SMALL_BYTES = 64 << 10;
/** Initial buffer for a file whose size the system does not report, as in /proc. */
const UNKNOWN_SIZE = 4096;

/** `size` is what the system reports; if the file has grown since, we still read it to its end. */
export async function readWhole(fd: number, size: number): Promise<Buffer> {
  // One extra byte: a read that leaves it empty has reached the end.
  let buffer = Buffer.allocUnsafeSlow(size === 0 ? UNKNOWN_SIZE : size + 1);
  for (let filled = 0; ; ) {
    const got = await readSome(fd, buffer.subarray(filled), null);
    filled += got;
    if (got === 0 || filled === size) return buffer.subarray(0, filled);
    if (filled === buffer.length) buffer = Buffer.concat([buffer], filled * 2);
  }
}

/** Reads up to as many bytes as fit into `room`. */
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
