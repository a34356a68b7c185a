// A member of a zip archive: compares its local header with the directory and reads its content.

import { crc32 } from "node:zlib";
import { ArchiveError, limits, tooLarge } from "../../parser/tasks/archive/members.ts";
import type { ZipMember } from "./zip-directory.ts";

const LOCAL = 0x04034b50;
const METHODS: Readonly<Record<number, string>> = {
  1: "shrink",
  6: "implode",
  9: "deflate64",
  12: "bzip2",
  14: "LZMA",
  93: "zstd",
  95: "xz",
  98: "PPMd",
  99: "encryption",
};
const STORED = 0;
export const DEFLATED = 8;

/** The range of the file to read for this member. */
export function memberRange(member: ZipMember): { start: number; end: number } {
  refuseUnreadable(member);
  const most = member.offset + 30 + 2 * 0xffff + member.compressedSize;
  return { start: member.offset, end: Math.min(member.boundary, most) };
}

function refuseUnreadable(member: ZipMember): void {
  const { name, flags, method, size, compressedSize, isOverlapped } = member;
  if ((flags & 0x2041) !== 0) throw new ArchiveError(`${name} is encrypted; extract it in the shell with its password`);
  if (method !== STORED && method !== DEFLATED) {
    throw new ArchiveError(
      `${name} is compressed with ${METHODS[method] ?? "an unknown method"} (method ${method}), which is not supported`,
    );
  }
  if (isOverlapped)
    throw new ArchiveError(`${name} shares bytes with another member, so the archive is damaged or made to mislead`);
  if (Math.max(size, compressedSize) > limits.memberBytes) {
    throw tooLarge(`${name}`, Math.max(size, compressedSize), limits.memberBytes);
  }
}

/** `region`: the bytes of memberRange. `inflate` fails or returns at most `most` bytes. */
export async function memberContent(
  region: Buffer,
  member: ZipMember,
  inflate: (bytes: Uint8Array, most: number) => Promise<Uint8Array>,
): Promise<Uint8Array> {
  const { name, method, size, compressedSize } = member;
  const start = dataStart(region, member);
  if (start + compressedSize > region.length) throw new ArchiveError(`${name} is cut short`);
  const stored = region.subarray(start, start + compressedSize);
  const content = method === STORED ? stored : await inflate(stored, size);
  if (content.length !== size || crc32(content) !== member.crc) {
    throw new ArchiveError(
      `${name} does not have the size and checksum that the archive gives for it, so it is damaged`,
    );
  }
  return content;
}

/** The start of the content in the member's bytes; the header must name the same member as the directory. */
export function dataStart(region: Buffer, member: ZipMember): number {
  const nameEnd = 30 + member.rawName.length;
  if (
    region.length < nameEnd ||
    region.readUInt32LE(0) !== LOCAL ||
    region.readUInt16LE(26) !== member.rawName.length ||
    !region.subarray(30, nameEnd).equals(member.rawName) ||
    region.readUInt16LE(8) !== member.method
  ) {
    throw new ArchiveError(
      `${member.name ?? "a member"} has another name in the list of members than in its own header, so the archive is damaged`,
    );
  }
  return nameEnd + region.readUInt16LE(28);
}
