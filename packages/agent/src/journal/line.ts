// One line on disk: JSON with a fixed head, closed by a checksum field. The checksum covers every byte before it, so a
// flipped byte that still parses as JSON is noticed. See docs/journal.md.

import { crc32 } from "./checksum.ts";

const NEWLINE = 10;
/** `,"~":"` + 8 hex digits + `"}`. */
const SEAL_BYTES = 16;
const SEAL_START = ',"~":"';

/** UTF-8 with the newline. Every append goes through here, so it makes one buffer and little else. */
export function encodeLine(value: object): Buffer {
  // The bracket that closes the value becomes the comma before the seal.
  const line = Buffer.from(`${JSON.stringify(value)}"~":"00000000"}\n`);
  const end = line.length - SEAL_BYTES - 1;
  const sum = crc32(line, end);
  line[end] = 0x2c;
  for (let digit = 0; digit < 8; digit++) {
    const value = (sum >>> (28 - 4 * digit)) & 15;
    line[end + SEAL_START.length + digit] = value < 10 ? 0x30 + value : 0x57 + value;
  }
  return line;
}

/** `line` is without its newline. */
export function isIntact(line: Buffer): boolean {
  const start = line.length - SEAL_BYTES;
  if (start < 1) return false;
  for (let at = 0; at < SEAL_START.length; at++) {
    if (line[start + at] !== SEAL_START.charCodeAt(at)) return false;
  }
  if (line[line.length - 2] !== 0x22 || line[line.length - 1] !== 0x7d) return false;
  return statedChecksum(line, start + SEAL_START.length) === crc32(line, start);
}

/** Reads 8 lower-case hex digits; -1 when they are not. By hand, because this runs for every line of a file. */
function statedChecksum(line: Buffer, start: number): number {
  let value = 0;
  for (let at = start; at < start + 8; at++) {
    const byte = line[at]!;
    const digit = byte >= 0x30 && byte <= 0x39 ? byte - 0x30 : byte >= 0x61 && byte <= 0x66 ? byte - 0x57 : -1;
    if (digit === -1) return -1;
    value = value * 16 + digit;
  }
  return value;
}

/** True for a line that carries a checksum field at all, intact or not. */
export function isSealed(line: Buffer): boolean {
  return line.includes(SEAL_START);
}

export function parseLine(line: Buffer): Record<string, unknown> {
  const value = JSON.parse(line.toString("utf8")) as Record<string, unknown>;
  delete value["~"];
  return value;
}

export interface LineHead {
  readonly type: string;
  /** Present on tree entries. */
  readonly id?: string;
  readonly parentId?: string | null;
}

const TREE_HEAD = /^\{"type":"([^"\\]+)","id":"([^"\\]+)","parentId":(?:null|"([^"\\]+)"),"timestamp":"/;
const ANY_HEAD = /^\{"type":"([^"\\]+)"/;
/** Longer than any head we write, so that reading one never touches the payload. */
const HEAD_BYTES = 200;

export function readLineHead(line: Buffer): LineHead | undefined {
  const text = line.toString("latin1", 0, Math.min(HEAD_BYTES, line.length));
  const tree = TREE_HEAD.exec(text);
  if (tree) return { type: tree[1]!, id: tree[2]!, parentId: tree[3] ?? null };
  const any = ANY_HEAD.exec(text);
  return any ? { type: any[1]! } : undefined;
}

/**
 * Splits a damaged stretch at the checksums inside it: when only the line break between two lines was hit, both lines
 * are still whole. Yields the intact lines and the bytes that belong to none.
 */
export function salvage(stretch: Buffer): { intact: { start: number; end: number }[]; lostBytes: number } {
  const intact: { start: number; end: number }[] = [];
  let from = 0;
  let used = 0;
  for (let at = stretch.indexOf(SEAL_START); at !== -1; at = stretch.indexOf(SEAL_START, at + 1)) {
    const end = at + SEAL_BYTES;
    const start = lineStart(stretch, from, end);
    if (start === undefined) continue;
    intact.push({ start, end });
    used += end - start;
    from = end;
  }
  return { intact, lostBytes: stretch.length - used };
}

function lineStart(stretch: Buffer, from: number, end: number): number | undefined {
  for (let start = stretch.indexOf('{"type":"', from); start !== -1 && start < end; ) {
    if (isIntact(stretch.subarray(start, end))) return start;
    start = stretch.indexOf('{"type":"', start + 1);
  }
  return undefined;
}

/** Calls `visit` for every newline-ended line; the last call has `ended: false` when the bytes stop inside a line. */
export function forEachLine(
  read: (offset: number, length: number) => Buffer,
  size: number,
  visit: (line: Buffer, offset: number, ended: boolean) => void,
): void {
  const CHUNK = 256 << 10;
  let offset = 0;
  let length = CHUNK;
  while (offset < size) {
    const chunk = read(offset, Math.min(length, size - offset));
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE, from); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      visit(chunk.subarray(from, end), offset + from, true);
      from = end + 1;
    }
    const atEnd = offset + chunk.length >= size;
    if (from === 0 && !atEnd) {
      length *= 2;
      continue;
    }
    if (atEnd && from < chunk.length) visit(chunk.subarray(from), offset + from, false);
    offset = atEnd ? size : offset + from;
    length = CHUNK;
  }
}
