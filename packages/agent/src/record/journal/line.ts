// One line on disk: JSON with a fixed head, closed by a checksum field. The checksum covers every byte before it, so a
// flipped byte is detected even if the line still parses as JSON. See docs/journal.md.

import { crc32 } from "./checksum.ts";

const NEWLINE = 10;
/** `,"~":"` + 8 hex digits + `"}`. */
const SEAL_BYTES = 16;
const SEAL_START = ',"~":"';

/** Encodes a line as UTF-8 with its newline. Every append uses this, so it allocates one buffer and little else. */
export function encodeLine(value: object): Buffer {
  // The comma of the seal overwrites the closing brace of the value.
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

/** `line` has no newline. */
export function isIntact(line: Buffer): boolean {
  const start = line.length - SEAL_BYTES;
  if (start < 1) return false;
  for (let at = 0; at < SEAL_START.length; at++) {
    if (line[start + at] !== SEAL_START.charCodeAt(at)) return false;
  }
  if (line[line.length - 2] !== 0x22 || line[line.length - 1] !== 0x7d) return false;
  return statedChecksum(line, start + SEAL_START.length) === crc32(line, start);
}

/** Parses 8 lowercase hex digits; -1 if they are not. Written by hand, because this runs for every line of a file. */
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

/** Whether a line has a checksum field at all, intact or not. */
export function isSealed(line: Buffer): boolean {
  return line.includes(SEAL_START);
}

/** The first fields of a line. */
export interface LineHead {
  readonly type: string;
  /** Present on tree entries. */
  readonly id?: string;
  readonly parentId?: string | null;
}

/** Kinds and ids are short plain ASCII: they are read from the first bytes and shown in messages. */
const WORD = "([ !#-[\\]-~]{1,64})";
const TREE_HEAD = new RegExp(`^\\{"type":"${WORD}","id":"${WORD}","parentId":(?:null|"${WORD}"),"timestamp":"`);
const ANY_HEAD = new RegExp(`^\\{"type":"${WORD}"`);
/** Longer than any head, so that reading one never touches the payload. */
const HEAD_BYTES = 256;

/** An id that does not match could not be found again in the head of its line. */
export const ENTRY_ID = new RegExp(`^${WORD}$`);

/** Type and ids of a line, without parsing it; undefined if it does not begin like one of ours. */
export function readLineHead(line: Buffer): LineHead | undefined {
  const text = line.toString("latin1", 0, Math.min(HEAD_BYTES, line.length));
  const tree = TREE_HEAD.exec(text);
  if (tree) return { type: tree[1]!, id: tree[2]!, parentId: tree[3] ?? null };
  const any = ANY_HEAD.exec(text);
  return any ? { type: any[1]! } : undefined;
}

/**
 * Splits a damaged stretch at the checksums inside it: if only the newline between two lines was damaged, both lines
 * are still intact. Returns the intact lines and the number of bytes that belong to none.
 */
export function salvage(stretch: Buffer): { intact: { start: number; end: number }[]; lostBytes: number } {
  const intact: { start: number; end: number }[] = [];
  const effort = { left: SALVAGE_EFFORT * stretch.length };
  let from = 0;
  let used = 0;
  for (let at = stretch.indexOf(SEAL_START); at !== -1; at = stretch.indexOf(SEAL_START, at + 1)) {
    const end = at + SEAL_BYTES;
    const start = lineStart(stretch, from, end, effort);
    if (start === undefined) continue;
    intact.push({ start, end });
    used += end - start;
    from = end;
  }
  return { intact, lostBytes: stretch.length - used };
}

/**
 * How often each byte of a damaged stretch may be summed; a file crafted to look like a thousand lines gets no more
 * effort.
 */
const SALVAGE_EFFORT = 16;

function lineStart(stretch: Buffer, from: number, end: number, effort: { left: number }): number | undefined {
  for (let start = stretch.indexOf('{"type":"', from); start !== -1 && start < end && effort.left > 0; ) {
    effort.left -= end - start;
    if (isIntact(stretch.subarray(start, end))) return start;
    start = stretch.indexOf('{"type":"', start + 1);
  }
  return undefined;
}

/**
 * Far more than an entry can take, because long texts are stored outside the file, and still small enough for memory.
 */
export const LONGEST_LINE = 64 << 20;
const CHUNK = 256 << 10;

export interface LineVisitor {
  /** `ended` is false for the last line if the bytes stop inside it. */
  line(line: Buffer, offset: number, ended: boolean): void;
  /** A line that is too long to process. */
  tooLong(length: number, offset: number, ended: boolean): void;
}

export function forEachLine(
  read: (offset: number, length: number) => Buffer,
  size: number,
  visitor: LineVisitor,
): void {
  let offset = 0;
  let length = CHUNK;
  while (offset < size) {
    const chunk = read(offset, Math.min(length, size - offset));
    // The file has been truncated meanwhile.
    if (chunk.length === 0) return;
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE, from); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      visitor.line(chunk.subarray(from, end), offset + from, true);
      from = end + 1;
    }
    const atEnd = offset + chunk.length >= size;
    if (from === 0 && !atEnd) {
      if (length < LONGEST_LINE) {
        length *= 2;
        continue;
      }
      const next = nextNewline(read, offset + chunk.length, size);
      visitor.tooLong((next ?? size) - offset, offset, next !== undefined);
      offset = (next ?? size) + 1;
    } else {
      if (atEnd && from < chunk.length) visitor.line(chunk.subarray(from), offset + from, false);
      offset = atEnd ? size : offset + from;
    }
    length = CHUNK;
  }
}

function nextNewline(read: (offset: number, length: number) => Buffer, from: number, size: number): number | undefined {
  for (let offset = from; offset < size; ) {
    const chunk = read(offset, Math.min(CHUNK, size - offset));
    if (chunk.length === 0) return undefined;
    const at = chunk.indexOf(NEWLINE);
    if (at !== -1) return offset + at;
    offset += chunk.length;
  }
  return undefined;
}
