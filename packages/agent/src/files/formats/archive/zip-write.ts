// Writes members into a zip archive. All other members keep their bytes: they are copied in compressed form with their
// headers, and only the offsets in the directory change.

import { crc32, deflateRawSync } from "node:zlib";
import { ArchiveError, byName, limits, refuseUnwritable } from "../../parser/tasks/archive/members.ts";
import { findEnd, parseDirectory, TAIL_BYTES, type ZipEnd, type ZipMember } from "./zip-directory.ts";
import { DEFLATED, dataStart } from "./zip-member.ts";
import { extraFields } from "./zip-names.ts";

/**
 * 1980-01-01, the earliest date in zip archives. New members get the newest time of the others, so that the same write
 * gives the same bytes.
 */
const FIRST_DAY = 0x0021_0000;
const UTF8_NAME = 0x800;
/** The extra field about sizes, which is wrong for new content. */
const ZIP64_FIELD = 0x0001;

export interface OpenZip {
  readonly file: Buffer;
  readonly end?: ZipEnd;
  readonly members: readonly ZipMember[];
}

export function openZip(bytes: Uint8Array | undefined): OpenZip {
  if (!bytes || bytes.length === 0) return { file: Buffer.alloc(0), members: [] };
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = findEnd(file.subarray(Math.max(0, file.length - TAIL_BYTES)), file.length);
  const directory = file.subarray(end.directoryStart, end.directoryStart + end.directoryBytes);
  return { file, end, members: parseDirectory(directory, end) };
}

export function replaceInZip(
  bytes: Uint8Array | undefined,
  parts: ReadonlyMap<string, Uint8Array | undefined>,
): Uint8Array {
  const zip = openZip(bytes);
  for (const inner of parts.keys()) refuseUnwritable(zip.members, inner);
  for (const member of zip.members) refuseDamaged(zip, member);
  const layout = new Layout(zip.end?.base ?? 0);
  const named = byName(zip.members);
  const changed = new Map([...parts].map(([inner, content]) => [named.get(inner)?.member, content] as const));
  copyMembers(zip, changed, layout);
  const newest = zip.members.reduce((time, { record }) => Math.max(time, record.readUInt32LE(12)), FIRST_DAY);
  for (const [inner, content] of parts) {
    if (!named.has(inner) && content) layout.add(writeMember(newMember(inner, newest), content));
  }
  const result = layout.finish(zip);
  if (result.length > limits.writtenBytes) {
    throw new ArchiveError(`it would have ${result.length} bytes, and at most ${limits.writtenBytes} are written here`);
  }
  return result;
}

/** Copies everything before the directory in order; changed members replace the old ones. */
function copyMembers(
  { file, end, members }: OpenZip,
  changed: ReadonlyMap<ZipMember | undefined, Uint8Array | undefined>,
  layout: Layout,
): void {
  let at = 0;
  for (const member of [...members].sort((a, b) => a.offset - b.offset)) {
    layout.copy(file.subarray(at, member.offset));
    const memberEnd = endOf(file, member);
    if (!changed.has(member)) {
      layout.keep(member, file.subarray(member.offset, memberEnd));
    } else {
      const content = changed.get(member);
      if (content) layout.add(writeMember(headerOf(file, member), content), member);
      else layout.drop(member);
    }
    at = memberEnd;
  }
  layout.copy(file.subarray(at, end?.directoryStart ?? 0));
}

/** Up to the next item if there is a data descriptor, because the archive does not state its length. */
function endOf(file: Buffer, member: ZipMember): number {
  if ((member.flags & 0x8) !== 0) return member.boundary;
  return member.offset + dataStart(file.subarray(member.offset, member.boundary), member) + member.compressedSize;
}

function refuseDamaged({ file }: OpenZip, member: ZipMember): void {
  const start = dataStart(file.subarray(member.offset, member.boundary), member);
  if (!member.isOverlapped && member.offset + start + member.compressedSize <= member.boundary) return;
  throw new ArchiveError(
    `${member.name ?? "a member"} shares bytes with another member, so the archive is damaged or made to mislead`,
  );
}

interface Header {
  readonly rawName: Buffer;
  readonly flags: number;
  readonly method: number;
  /** DOS date and time. */
  readonly time: number;
  /** Some fields are longer in the local header than in the directory. */
  readonly localExtra: Buffer;
  readonly extra: Buffer;
  readonly comment: Buffer;
  readonly madeBy: number;
  readonly internal: number;
  readonly external: number;
}

/**
 * What is kept of a member when its content is replaced: name, time, attributes, comment, and extra fields except those
 * about sizes.
 */
function headerOf(file: Buffer, { record, rawName, flags, method, name, offset }: ZipMember): Header {
  if ((flags & 0x2041) !== 0) throw new ArchiveError(`${name} is encrypted`);
  const extraAt = 46 + rawName.length;
  const commentAt = extraAt + record.readUInt16LE(30);
  const localAt = offset + 30 + rawName.length;
  return {
    rawName,
    flags: flags & UTF8_NAME,
    method,
    time: record.readUInt32LE(12),
    localExtra: withoutSizes(file.subarray(localAt, localAt + file.readUInt16LE(offset + 28))),
    extra: withoutSizes(record.subarray(extraAt, commentAt)),
    comment: record.subarray(commentAt),
    madeBy: record.readUInt16LE(4),
    internal: record.readUInt16LE(36),
    external: record.readUInt32LE(38),
  };
}

function withoutSizes(extra: Buffer): Buffer {
  const kept = [...extraFields(extra)].filter(({ id }) => id !== ZIP64_FIELD);
  return Buffer.concat(kept.map(({ at, content }) => extra.subarray(at - 4, at + content.length)));
}

function newMember(inner: string, time: number): Header {
  const rawName = Buffer.from(inner);
  if (rawName.length > 0xffff) throw new ArchiveError("the name of the new member is too long for a zip archive");
  return {
    rawName,
    flags: /[^\x20-\x7e]/.test(inner) ? UTF8_NAME : 0,
    method: DEFLATED,
    time,
    localExtra: Buffer.alloc(0),
    extra: Buffer.alloc(0),
    comment: Buffer.alloc(0),
    madeBy: (3 << 8) | 20,
    internal: 0,
    external: (0o100644 << 16) >>> 0,
  };
}

interface Written {
  readonly local: Buffer;
  /** For the directory; the offset is not set yet. */
  readonly record: Buffer;
}

/** A stored member stays stored, because some file formats require it. */
function writeMember(header: Header, content: Uint8Array): Written {
  const deflated = header.method === 0 ? undefined : deflateRawSync(content);
  const isDeflated = deflated !== undefined && deflated.length < content.length;
  const data = isDeflated ? deflated : content;
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt16LE(header.flags, 2);
  common.writeUInt16LE(isDeflated ? DEFLATED : 0, 4);
  common.writeUInt32LE(header.time, 6);
  common.writeUInt32LE(crc32(content), 10);
  common.writeUInt32LE(data.length, 14);
  common.writeUInt32LE(content.length, 18);
  common.writeUInt16LE(header.rawName.length, 22);
  common.writeUInt16LE(header.extra.length, 24);
  const local = Buffer.from(common);
  local.writeUInt16LE(header.localExtra.length, 24);
  const tail = Buffer.alloc(14);
  tail.writeUInt16LE(header.comment.length, 0);
  tail.writeUInt16LE(header.internal, 4);
  tail.writeUInt32LE(header.external, 6);
  const madeBy = Buffer.alloc(2);
  madeBy.writeUInt16LE(header.madeBy);
  return {
    local: Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), local, header.rawName, header.localExtra, data]),
    record: Buffer.concat([
      Buffer.from("PK\x01\x02", "latin1"),
      madeBy,
      common,
      tail,
      header.rawName,
      header.extra,
      header.comment,
    ]),
  };
}

/** The new file, piece by piece, and its directory. */
class Layout {
  readonly #base: number;
  readonly #pieces: Uint8Array[] = [];
  #length = 0;
  /** New records of existing members, by their old ones; undefined if dropped. */
  readonly #records = new Map<ZipMember, Buffer | undefined>();
  readonly #added: Buffer[] = [];

  constructor(base: number) {
    this.#base = base;
  }

  copy(bytes: Uint8Array): void {
    this.#pieces.push(bytes);
    this.#length += bytes.length;
  }

  keep(member: ZipMember, bytes: Uint8Array): void {
    const record = Buffer.from(member.record);
    const offset = this.#length - this.#base;
    if (member.offsetField.bytes === 8) record.writeBigUInt64LE(BigInt(offset), member.offsetField.at);
    else record.writeUInt32LE(offset, member.offsetField.at);
    this.#records.set(member, record);
    this.copy(bytes);
  }

  drop(member: ZipMember): void {
    this.#records.set(member, undefined);
  }

  add({ local, record }: Written, inPlaceOf?: ZipMember): void {
    record.writeUInt32LE(this.#length - this.#base, 42);
    if (inPlaceOf) this.#records.set(inPlaceOf, record);
    else this.#added.push(record);
    this.copy(local);
  }

  /** The directory keeps its order, which may differ from that of the members. */
  finish({ file, end, members }: OpenZip): Buffer {
    const records = [...members.map((member) => this.#records.get(member)), ...this.#added].filter(
      (record) => record !== undefined,
    );
    const directoryStart = this.#length - this.#base;
    const directoryBytes = records.reduce((sum, record) => sum + record.length, 0);
    const endRecords = endingWith(file, end, { count: records.length, directoryStart, directoryBytes });
    return Buffer.concat([...this.#pieces, ...records, endRecords]);
  }
}

interface Directory {
  readonly count: number;
  readonly directoryStart: number;
  readonly directoryBytes: number;
}

/** The records after the directory: the existing ones with new numbers, comment included, or new ones. */
function endingWith(
  file: Buffer,
  end: ZipEnd | undefined,
  { count, directoryStart, directoryBytes }: Directory,
): Buffer {
  const old = end ? Buffer.from(file.subarray(end.endsAt)) : Buffer.from("PK\x05\x06".padEnd(22, "\0"), "latin1");
  const narrow = end ? end.endRecordAt - end.endsAt : 0;
  if (narrow === 0) {
    if (count < 0xffff) return setEnd(old, count, directoryBytes, directoryStart);
    return Buffer.concat([
      wideEnd(count, directoryBytes, directoryStart),
      setEnd(old, 0xffff, directoryBytes, directoryStart),
    ]);
  }
  setWide(old, count, directoryBytes, directoryStart);
  old.writeBigUInt64LE(BigInt(directoryStart + directoryBytes), narrow - 12);
  // A field that says "see zip64" keeps saying so.
  const place = (at: number, bytes: 2 | 4, value: number) => {
    if (bytes === 2 && old.readUInt16LE(narrow + at) !== 0xffff)
      old.writeUInt16LE(Math.min(value, 0xffff), narrow + at);
    if (bytes === 4 && old.readUInt32LE(narrow + at) !== 0xffffffff) old.writeUInt32LE(value, narrow + at);
  };
  place(8, 2, count);
  place(10, 2, count);
  place(12, 4, directoryBytes);
  place(16, 4, directoryStart);
  return old;
}

function setEnd(record: Buffer, count: number, bytes: number, start: number): Buffer {
  record.writeUInt16LE(count, 8);
  record.writeUInt16LE(count, 10);
  record.writeUInt32LE(bytes, 12);
  record.writeUInt32LE(start, 16);
  return record;
}

function setWide(record: Buffer, count: number, bytes: number, start: number): void {
  record.writeBigUInt64LE(BigInt(count), 24);
  record.writeBigUInt64LE(BigInt(count), 32);
  record.writeBigUInt64LE(BigInt(bytes), 40);
  record.writeBigUInt64LE(BigInt(start), 48);
}

function wideEnd(count: number, bytes: number, start: number): Buffer {
  const record = Buffer.alloc(76);
  record.write("PK\x06\x06", "latin1");
  record.writeBigUInt64LE(44n, 4);
  record.writeUInt16LE((3 << 8) | 45, 12);
  record.writeUInt16LE(45, 14);
  setWide(record, count, bytes, start);
  record.write("PK\x06\x07", 56, "latin1");
  record.writeBigUInt64LE(BigInt(start + bytes), 64);
  record.writeUInt32LE(1, 72);
  return record;
}
