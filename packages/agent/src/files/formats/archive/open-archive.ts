// Reads archives: only the needed parts of a file are loaded, so that the cost of a member of a huge archive depends on
// the member's size.

import type { TgzMember } from "../../parser/tasks/archive/inflate.ts";
import { ArchiveError, limits, type Member, tooLarge } from "../../parser/tasks/archive/members.ts";
import { type TarMember, walkTar } from "../../parser/tasks/archive/tar-walk.ts";
import type { FormatFile } from "../../target/format.ts";
import { inflateApart, scanTgzApart } from "./in-parser.ts";
import { findEnd, parseDirectory, TAIL_BYTES, type ZipMember } from "./zip-directory.ts";
import { memberContent, memberRange } from "./zip-member.ts";

export interface OpenArchive {
  readonly members: readonly Member[];
  /** The content of a member of kind "file", or of a link's target. */
  content(member: Member): Promise<Uint8Array>;
}

export async function openZipFile(file: FormatFile): Promise<OpenArchive> {
  if (file.size === 0) return { members: [], content: () => Promise.reject(new ArchiveError("it is empty")) };
  const end = findEnd(
    buffer(await file.bytes({ start: Math.max(0, file.size - TAIL_BYTES), end: file.size })),
    file.size,
  );
  const directory = buffer(
    await file.bytes({ start: end.directoryStart, end: end.directoryStart + end.directoryBytes }),
  );
  return {
    members: parseDirectory(directory, end),
    content: async (member) => {
      const wanted = member as ZipMember;
      const region = buffer(await file.bytes(memberRange(wanted)));
      return memberContent(region, wanted, (bytes, most) => inflateApart({ bytes, most }, file.scope));
    },
  };
}

/** Headers are read in windows: one read for many small members, and none for the content of large ones. */
const WINDOW = 64 << 10;

export async function openTarFile(file: FormatFile): Promise<OpenArchive> {
  let window: { readonly start: number; readonly bytes: Buffer } = { start: 0, bytes: Buffer.alloc(0) };
  const read = async (at: number, length: number) => {
    if (at < window.start || at + length > window.start + window.bytes.length) {
      const end = Math.min(file.size, at + Math.max(length, WINDOW));
      window = { start: at, bytes: end > at ? buffer(await file.bytes({ start: at, end })) : Buffer.alloc(0) };
    }
    return window.bytes.subarray(at - window.start, at - window.start + length);
  };
  const members: TarMember[] = [];
  const walk = walkTar();
  for (let step = walk.next(); !step.done; ) {
    if (step.value.kind === "bytes") {
      step = walk.next(await read(step.value.at, step.value.length));
      continue;
    }
    const { member } = step.value;
    if (member.data + member.size > file.size)
      throw new ArchiveError(`it is cut short: ${member.name ?? "a member"} is not all there`);
    if (members.length >= limits.members)
      throw new ArchiveError(`it has more than ${limits.members} members; use tar in the shell`);
    members.push(member);
    file.scope.signal.throwIfAborted();
    step = walk.next(Buffer.alloc(0));
  }
  return {
    members,
    content: (member) => {
      const { data, size } = readable(member as TarMember);
      return size === 0 ? Promise.resolve(new Uint8Array(0)) : file.bytes({ start: data, end: data + size });
    },
  };
}

/**
 * Contents that are read along with the requested one, so that a search does not inflate the archive once per member.
 */
const BATCH_BYTES = 16 << 20;

export async function openTgzFile(file: FormatFile): Promise<OpenArchive> {
  if (file.size > limits.compressedBytes) throw tooLarge("it", file.size, limits.compressedBytes);
  const bytes = await file.bytes();
  const { members } = await scanTgzApart({ bytes }, file.scope);
  let batch = new Map<number, Uint8Array>();
  return {
    members,
    content: async (member) => {
      const { start } = readable(member as TgzMember);
      if (!batch.has(start)) {
        const { contents } = await scanTgzApart({ bytes, wanted: { from: start, most: BATCH_BYTES } }, file.scope);
        batch = new Map(contents);
      }
      const content = batch.get(start);
      if (!content) throw new ArchiveError(`${member.name} is cut short`);
      return content;
    },
  };
}

function readable<M extends TgzMember>(member: M): M {
  if (member.isSparse)
    throw new ArchiveError(`${member.name} is a sparse file, which is not supported; extract it in the shell`);
  if (member.size > limits.memberBytes) throw tooLarge(`${member.name}`, member.size, limits.memberBytes);
  return member;
}

const buffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

export const isGzip = (head: Uint8Array): boolean => head[0] === 0x1f && head[1] === 0x8b;

/** A first member, an archive without members, or the first part of a split archive. */
export const isZip = (head: Uint8Array): boolean =>
  head[0] === 0x50 && head[1] === 0x4b && [3, 5, 7].some((third) => head[2] === third && head[3] === third + 1);
