// Iterates over the members of a tar archive (ustar, pax, GNU long names). The generator requests bytes and yields what
// it finds, so that the same code serves a file by ranges, a stream and bytes in memory.

import { ArchiveError, type Member, memberName } from "./members.ts";

export const BLOCK = 512;

export interface TarMember extends Member {
  /** "0" file, "5" directory, "1" and "2" links, others special. */
  readonly type: string;
  /** Offset of the first header that belongs to it: long names and pax records precede its own header. */
  readonly start: number;
  readonly header: number;
  readonly data: number;
  /** Where the next member begins. */
  readonly end: number;
  readonly mtime: number;
  /** Its own pax records, without global ones. */
  readonly pax: ReadonlyMap<string, string>;
  readonly isSparse: boolean;
}

export type TarStep =
  /** A request for these bytes, or fewer if the archive ends. */
  | { readonly kind: "bytes"; readonly at: number; readonly length: number }
  | { readonly kind: "member"; readonly member: TarMember };

/** Limit for a long name or pax records: no real file name is longer. */
const MOST_HEADER_BYTES = 1 << 20;

/** Returns where the end marks begin, or the end of the bytes. */
export function* walkTar(): Generator<TarStep, number, Buffer> {
  let at = 0;
  let pending: Pending = none();
  let start = 0;
  const shared = new Map<string, string>();
  for (;;) {
    const block = yield { kind: "bytes", at, length: BLOCK };
    if (block.length < BLOCK) {
      if (block.length > 0 || pending.isSet) throw new ArchiveError("it is cut short");
      return start;
    }
    if (block.every((byte) => byte === 0)) {
      if (pending.isSet) throw new ArchiveError("it ends in the middle of a member's headers");
      return start;
    }
    checkSum(block, at);
    const type = typeOf(block);
    const stated = numberAt(block, 124, 12);
    if ("LKxg".includes(type)) {
      if (stated > MOST_HEADER_BYTES)
        throw new ArchiveError(`a header in it has ${stated} bytes, so it is damaged or made to mislead`);
      const content = yield { kind: "bytes", at: at + BLOCK, length: stated };
      if (content.length < stated) throw new ArchiveError("it is cut short");
      if (type === "g") for (const [key, value] of paxRecords(content)) shared.set(key, value);
      else pending = withHeader(pending, type, content);
      at += BLOCK + paddedSize(stated);
      // Global records belong to no member.
      if (type === "g" && !pending.isSet) start = at;
      continue;
    }
    const member = memberOf(block, { at, start, type, stated }, pending, shared);
    yield { kind: "member", member };
    at = member.end;
    start = at;
    pending = none();
  }
}

interface Pending {
  readonly isSet: boolean;
  readonly name?: string;
  readonly link?: string;
  readonly pax: ReadonlyMap<string, string>;
}

const none = (): Pending => ({ isSet: false, pax: new Map() });

function withHeader(pending: Pending, type: string, content: Buffer): Pending {
  if (type === "x") return { ...pending, isSet: true, pax: paxRecords(content) };
  const text = content.toString("utf8").replace(/\0[\s\S]*$/, "");
  return type === "L" ? { ...pending, isSet: true, name: text } : { ...pending, isSet: true, link: text };
}

function memberOf(
  block: Buffer,
  { at, start, type, stated }: { at: number; start: number; type: string; stated: number },
  pending: Pending,
  shared: ReadonlyMap<string, string>,
): TarMember {
  const pax = (key: string) => pending.pax.get(key) ?? shared.get(key);
  const isPosix = block.toString("latin1", 257, 263) === "ustar\0";
  const prefix = isPosix ? textAt(block, 345, 155) : "";
  const short = textAt(block, 0, 100);
  const stored =
    pax("GNU.sparse.name") ?? pax("path") ?? pending.name ?? (prefix === "" ? short : `${prefix}/${short}`);
  const size = pax("size") === undefined ? stated : Number(pax("size"));
  if (!Number.isSafeInteger(size) || size < 0)
    throw new ArchiveError(`${stored} has an impossible size, so the archive is damaged`);
  const kind = kindOf(type, stored);
  // Links and directories have no content, whatever their size says.
  const length = kind === "link" || kind === "directory" ? 0 : size;
  const data = at + BLOCK;
  return {
    name: memberName(stored),
    kind,
    type,
    size: length,
    linkTarget: kind === "link" ? (pax("linkpath") ?? pending.link ?? textAt(block, 157, 100)) : undefined,
    start,
    header: at,
    data,
    end: data + paddedSize(length),
    mtime: numberAt(block, 136, 12),
    pax: pending.pax,
    isSparse: type === "S" || [...pending.pax.keys()].some((key) => key.startsWith("GNU.sparse.")),
  };
}

function kindOf(type: string, stored: string): Member["kind"] {
  if (type === "5" || type === "D") return "directory";
  if (type === "1" || type === "2") return "link";
  if (type === "0" || type === "7" || type === "S") return stored.endsWith("/") ? "directory" : "file";
  return "other";
}

const typeOf = (block: Buffer): string => (block[156] === 0 ? "0" : String.fromCharCode(block[156] as number));

export const paddedSize = (size: number): number => Math.ceil(size / BLOCK) * BLOCK;

export function headerSum(block: Buffer): number {
  let sum = 0;
  for (let index = 0; index < BLOCK; index++) sum += index >= 148 && index < 156 ? 0x20 : (block[index] as number);
  return sum;
}

function checkSum(block: Buffer, at: number): void {
  if (numberAt(block, 148, 8) === headerSum(block)) return;
  throw new ArchiveError(at === 0 ? "it is not a tar archive" : `the header at byte ${at} is damaged`);
}

function textAt(block: Buffer, at: number, length: number): string {
  const end = block.indexOf(0, at);
  return block.toString("utf8", at, end < 0 ? at + length : Math.min(end, at + length));
}

/** Octal digits, or a binary number if the first bit is set. */
function numberAt(block: Buffer, at: number, length: number): number {
  if (((block[at] as number) & 0x80) === 0) return Number.parseInt(textAt(block, at, length).trim() || "0", 8);
  let value = (block[at] as number) & 0x7f;
  for (let index = 1; index < length; index++) value = value * 256 + (block[at + index] as number);
  return value;
}

/** Lines `length key=value`, where the length is that of the whole line in bytes. */
function paxRecords(content: Buffer): Map<string, string> {
  const records = new Map<string, string>();
  for (let at = 0; at < content.length && content[at] !== 0; ) {
    const space = content.indexOf(0x20, at);
    const length = Number(content.toString("latin1", at, space));
    const equals = content.indexOf(0x3d, space);
    if (
      space < 0 ||
      equals < 0 ||
      !Number.isInteger(length) ||
      length < 5 ||
      at + length > content.length ||
      equals >= at + length
    ) {
      throw new ArchiveError("its pax records are damaged");
    }
    records.set(content.toString("utf8", space + 1, equals), content.toString("utf8", equals + 1, at + length - 1));
    at += length;
  }
  return records;
}

export function paxContent(records: ReadonlyMap<string, string>): Buffer {
  const lines = [...records].map(([key, value]) => {
    const rest = Buffer.from(` ${key}=${value}\n`);
    let length = rest.length;
    while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
    return Buffer.concat([Buffer.from(String(length)), rest]);
  });
  return Buffer.concat(lines);
}

/** All members of an archive in memory, and where its end marks begin. */
export function tarInMemory(file: Buffer, most: number): { readonly members: TarMember[]; readonly end: number } {
  const walk = walkTar();
  const members: TarMember[] = [];
  for (let step = walk.next(); ; ) {
    if (step.done) return { members, end: step.value };
    if (step.value.kind === "bytes") {
      const { at, length } = step.value;
      step = walk.next(file.subarray(at, at + length));
      continue;
    }
    const { member } = step.value;
    if (member.end > file.length + BLOCK || member.data + member.size > file.length)
      throw new ArchiveError(`${member.name ?? "a member"} is cut short`);
    if (members.length >= most) throw new ArchiveError(`it has more than ${most} members; use tar in the shell`);
    members.push(member);
    step = walk.next(Buffer.alloc(0));
  }
}
