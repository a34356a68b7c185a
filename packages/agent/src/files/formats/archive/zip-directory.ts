// The directory at the end of a zip archive: its location and the members it lists. Bytes in, records out; everything
// that can be cross-checked is.

import { ArchiveError, limits, type Member, memberName } from "../../parser/tasks/archive/members.ts";
import { extraFields, zipName } from "./zip-names.ts";

/**
 * The part of the end of a file that is needed to find the directory: an end record, the longest comment, and the zip64
 * records.
 */
export const TAIL_BYTES = 22 + 0xffff + 20 + 56;

const END = 0x06054b50;
const END_64 = 0x06064b50;
const LOCATOR_64 = 0x07064b50;
const RECORD = 0x02014b50;
const ZIP64_FIELD = 0x0001;
const END_64_BYTES = 56;

export interface ZipEnd {
  /** The position before the first member, from which offsets in the archive are counted. */
  readonly base: number;
  readonly directoryStart: number;
  readonly directoryBytes: number;
  readonly count: number;
  /** Offset of the first record after the directory. */
  readonly endsAt: number;
  /** Offset of the end record proper; with zip64 it is not the first record. */
  readonly endRecordAt: number;
}

export interface ZipMember extends Member {
  readonly rawName: Buffer;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly compressedSize: number;
  /** Offset of its local header in the file. */
  readonly offset: number;
  /** Start of the next item in the file: everything of this member is before it. */
  readonly boundary: number;
  readonly isOverlapped: boolean;
  /** Its record in the directory. */
  readonly record: Buffer;
  /** Position and size of the offset field in the record. */
  readonly offsetField: { readonly at: number; readonly bytes: 4 | 8 };
}

/** Boundaries are set once all members are known. */
type ParsedMember = { -readonly [K in keyof ZipMember]: ZipMember[K] };

/** `tail`: the last TAIL_BYTES of a file of `fileSize` bytes, or the whole file. */
export function findEnd(tail: Buffer, fileSize: number): ZipEnd {
  const tailStart = fileSize - tail.length;
  const at = endRecord(tail);
  if (at === undefined) throw new ArchiveError("it has no end record, so it is cut short or is not a zip archive");
  if (tail.readUInt16LE(at + 4) !== tail.readUInt16LE(at + 6))
    throw new ArchiveError("it is one part of a split archive");
  const wide = end64(tail, at, tailStart);
  const count = wide === undefined ? tail.readUInt16LE(at + 10) : number64(tail, wide + 32);
  const directoryBytes = wide === undefined ? tail.readUInt32LE(at + 12) : number64(tail, wide + 40);
  const stated = wide === undefined ? tail.readUInt32LE(at + 16) : number64(tail, wide + 48);
  const endsAt = tailStart + (wide ?? at);
  const directoryStart = endsAt - directoryBytes;
  const base = directoryStart - stated;
  if (directoryStart < 0 || base < 0)
    throw new ArchiveError("its end record does not fit the file, so it is damaged or cut short");
  if (count > limits.members || directoryBytes > limits.directoryBytes) {
    throw new ArchiveError(
      `it lists ${count} members in ${directoryBytes} bytes, and at most ${limits.members} in ${limits.directoryBytes} are read here; use unzip in the shell`,
    );
  }
  return { base, directoryStart, directoryBytes, count, endsAt, endRecordAt: tailStart + at };
}

/**
 * The record whose comment ends the file; otherwise the last one whose comment fits, for archives with appended data.
 */
function endRecord(tail: Buffer): number | undefined {
  let fitting: number | undefined;
  for (let at = tail.length - 22; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== END) continue;
    const end = at + 22 + tail.readUInt16LE(at + 20);
    if (end === tail.length) return at;
    if (end < tail.length) fitting ??= at;
  }
  return fitting;
}

/** Position of the zip64 end record in the tail, if there is one. */
function end64(tail: Buffer, end: number, tailStart: number): number | undefined {
  const locator = end - 20;
  if (locator < 0 || tail.readUInt32LE(locator) !== LOCATOR_64) return undefined;
  const places = [number64(tail, locator + 8) - tailStart, locator - END_64_BYTES];
  const found = places.find((at) => at >= 0 && at + END_64_BYTES <= locator && tail.readUInt32LE(at) === END_64);
  if (found === undefined) throw new ArchiveError("its zip64 end record is missing, so it is damaged");
  return found;
}

export function parseDirectory(directory: Buffer, end: ZipEnd): ZipMember[] {
  const members: ParsedMember[] = [];
  let at = 0;
  while (at + 46 <= directory.length && directory.readUInt32LE(at) === RECORD) {
    const length =
      46 + directory.readUInt16LE(at + 28) + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
    if (at + length > directory.length) throw new ArchiveError("its list of members is cut short");
    if (members.length >= limits.members)
      throw new ArchiveError(`it lists more than ${limits.members} members; use unzip in the shell`);
    members.push(parseRecord(directory.subarray(at, at + length), end));
    at += length;
  }
  if (members.length !== end.count) {
    throw new ArchiveError(`it says it has ${end.count} members and lists ${members.length}, so it is damaged`);
  }
  setBoundaries(members, end.directoryStart);
  return members;
}

function parseRecord(record: Buffer, end: ZipEnd): ParsedMember {
  const nameEnd = 46 + record.readUInt16LE(28);
  const extra = record.subarray(nameEnd, nameEnd + record.readUInt16LE(30));
  const flags = record.readUInt16LE(8);
  const rawName = record.subarray(46, nameEnd);
  const stored = zipName(rawName, (flags & 0x800) !== 0, extra);
  const { size, compressedSize, offset, offsetField } = widths(record, extra, nameEnd);
  const isUnix = record.readUInt16LE(4) >> 8 === 3;
  const type = isUnix ? record.readUInt32LE(38) >>> 28 : 0;
  const kind = kindOf(stored, type, size);
  return {
    name: memberName(stored),
    kind,
    size,
    rawName,
    flags,
    method: record.readUInt16LE(10),
    crc: record.readUInt32LE(16),
    compressedSize,
    offset: end.base + offset,
    record,
    offsetField,
    boundary: 0,
    isOverlapped: false,
  };
}

/** `type`: the file type on Unix, 0 if unknown. Data that came through a pipe is marked as a pipe, but has content. */
function kindOf(stored: string, type: number, size: number): Member["kind"] {
  if (stored.endsWith("/") || type === 4) return "directory";
  if (type === 0xa) return "link";
  return type === 0 || type === 8 || size > 0 ? "file" : "other";
}

/** Sizes and offset; each is in the zip64 field if its own field is too narrow. */
function widths(record: Buffer, extra: Buffer, extraAt: number) {
  const narrow = {
    size: record.readUInt32LE(24),
    compressedSize: record.readUInt32LE(20),
    offset: record.readUInt32LE(42),
  };
  let offsetField: ZipMember["offsetField"] = { at: 42, bytes: 4 };
  if (!Object.values(narrow).includes(0xffffffff)) return { ...narrow, offsetField };
  const field = [...extraFields(extra)].find(({ id }) => id === ZIP64_FIELD);
  if (!field) return { ...narrow, offsetField };
  let at = 0;
  for (const key of ["size", "compressedSize", "offset"] as const) {
    if (narrow[key] !== 0xffffffff) continue;
    if (at + 8 > field.content.length) throw new ArchiveError("a zip64 field in its list of members is cut short");
    narrow[key] = number64(field.content, at);
    if (key === "offset") offsetField = { at: extraAt + field.at + at, bytes: 8 };
    at += 8;
  }
  return { ...narrow, offsetField };
}

/** Members that share bytes are how a small archive pretends to contain a huge one. */
function setBoundaries(members: readonly ParsedMember[], directoryStart: number): void {
  const byOffset = [...members].sort((a, b) => a.offset - b.offset);
  let furthest = 0;
  for (const [index, member] of byOffset.entries()) {
    member.boundary = byOffset[index + 1]?.offset ?? directoryStart;
    const end = member.offset + 30 + member.rawName.length + member.compressedSize;
    member.isOverlapped = end > member.boundary || furthest > member.offset;
    furthest = Math.max(furthest, end);
  }
}

/** A number beyond any real file size is as wrong as a negative one. */
function number64(bytes: Buffer, at: number): number {
  const value = bytes.readBigUInt64LE(at);
  if (value > BigInt(Number.MAX_SAFE_INTEGER))
    throw new ArchiveError("a number in it is larger than any file, so it is damaged");
  return Number(value);
}
