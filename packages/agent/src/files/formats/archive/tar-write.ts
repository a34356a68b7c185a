// Writes members into a tar archive: all others keep their headers and bytes.

import { ArchiveError, byName, limits, refuseUnwritable } from "../../parser/tasks/archive/members.ts";
import {
  BLOCK,
  headerSum,
  paddedSize,
  paxContent,
  type TarMember,
  tarInMemory,
} from "../../parser/tasks/archive/tar-walk.ts";

/** Archives are padded to whole records, as tape drives required. */
const RECORD = 20 * BLOCK;
/** 1980-01-01. New members get the newest time of the others, so that the same write gives the same bytes. */
const FIRST_DAY = 315532800;

export function openTar(bytes: Uint8Array | undefined): {
  readonly file: Buffer;
  readonly members: readonly TarMember[];
  readonly end: number;
} {
  const file = bytes ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) : Buffer.alloc(0);
  return { file, ...tarInMemory(file, limits.members) };
}

export function tarContent(file: Buffer, member: TarMember): Buffer {
  if (member.isSparse)
    throw new ArchiveError(`${member.name} is a sparse file, which is not supported; extract it in the shell`);
  return file.subarray(member.data, member.data + member.size);
}

export function replaceInTar(
  bytes: Uint8Array | undefined,
  parts: ReadonlyMap<string, Uint8Array | undefined>,
): Uint8Array {
  const { file, members, end } = openTar(bytes);
  for (const inner of parts.keys()) refuseUnwritable(members, inner);
  const pieces: Uint8Array[] = [];
  let copied = 0;
  for (const member of members) {
    if (member.name === undefined || !parts.has(member.name)) continue;
    pieces.push(file.subarray(copied, member.start));
    const content = parts.get(member.name);
    if (content) pieces.push(...replaceMember(file, member, content));
    copied = member.end;
  }
  pieces.push(file.subarray(copied, end));
  const named = byName(members);
  const newest = members.reduce((time, { mtime }) => Math.max(time, mtime), FIRST_DAY);
  for (const [inner, content] of parts)
    if (content && !named.has(inner)) pieces.push(...newMember(inner, content, newest));
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (length > limits.writtenBytes) {
    throw new ArchiveError(`it would have ${length} bytes, and at most ${limits.writtenBytes} are written here`);
  }
  return Buffer.concat([...pieces, endBlocks(file.subarray(end), file.length, length)]);
}

/** The member with its own headers, except what they say about the size. */
function replaceMember(file: Buffer, member: TarMember, content: Uint8Array): Uint8Array[] {
  if (member.isSparse) throw new ArchiveError(`${member.name} is a sparse file, which is not written here`);
  const header = withSize(Buffer.from(file.subarray(member.header, member.data)), content.length);
  if (!member.pax.has("size")) return [file.subarray(member.start, member.header), header, ...padContent(content)];
  const kept = new Map([...member.pax].filter(([key]) => key !== "size"));
  const long = longNames(file, member);
  return [...long, ...(kept.size > 0 ? paxHeader(header, kept) : []), header, ...padContent(content)];
}

/** Headers before the member's own header, except its own pax records. */
function longNames(file: Buffer, member: TarMember): Uint8Array[] {
  const kept: Uint8Array[] = [];
  for (let at = member.start; at < member.header; ) {
    const next = at + BLOCK + paddedSize(Number.parseInt(file.toString("latin1", at + 124, at + 135), 8));
    if (file[at + 156] !== 0x78) kept.push(file.subarray(at, next));
    at = next;
  }
  return kept;
}

function newMember(inner: string, content: Uint8Array, mtime: number): Uint8Array[] {
  const header = newHeader("0", mtime);
  const name = Buffer.from(inner);
  const cut = name.length <= 100 ? -1 : splitAt(name);
  if (name.length <= 100) name.copy(header, 0);
  else if (cut > 0) {
    name.copy(header, 0, cut + 1);
    name.copy(header, 345, 0, cut);
  } else name.copy(header, 0, 0, 100);
  withSize(header, content.length);
  const isTooLong = name.length > 100 && cut <= 0;
  return [...(isTooLong ? paxHeader(header, new Map([["path", inner]])) : []), header, ...padContent(content)];
}

/** Position of a slash with at most 155 bytes before and 100 after it. */
function splitAt(name: Buffer): number {
  const cut = name.lastIndexOf(0x2f, 155);
  return cut > 0 && name.length - cut - 1 <= 100 ? cut : -1;
}

function newHeader(type: string, mtime: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  header.write("0000644\0", 100, "latin1");
  header.write("0000000\0", 108, "latin1");
  header.write("0000000\0", 116, "latin1");
  header.write(octal(mtime, 11), 136, "latin1");
  header.write(type, 156, "latin1");
  header.write("ustar\x0000", 257, "latin1");
  return header;
}

function paxHeader(of: Buffer, records: ReadonlyMap<string, string>): Uint8Array[] {
  const content = paxContent(records);
  const header = newHeader("x", Number.parseInt(of.toString("latin1", 136, 147), 8) || FIRST_DAY);
  header.write("PaxHeader", 0, "latin1");
  return [withSize(header, content.length), ...padContent(content)];
}

function withSize(header: Buffer, size: number): Buffer {
  header.write(`${octal(size, 11)}\0`, 124, "latin1");
  header.write(`${octal(headerSum(header), 6)}\0 `, 148, "latin1");
  return header;
}

const octal = (value: number, digits: number): string => Math.floor(value).toString(8).padStart(digits, "0");

const padContent = (content: Uint8Array): Uint8Array[] => [
  content,
  Buffer.alloc(paddedSize(content.length) - content.length),
];

/** The end marks: the existing ones or, if they are only zeros, as many as pad a record if the archive was padded. */
function endBlocks(old: Buffer, oldLength: number, length: number): Buffer {
  if (old.some((byte) => byte !== 0)) return old;
  const unit = oldLength % RECORD === 0 ? RECORD : BLOCK;
  return Buffer.alloc(Math.ceil((length + 2 * BLOCK) / unit) * unit - length);
}
