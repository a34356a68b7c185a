// Lists the paths in git's index and which of them are other repositories. Parses the index as git does, before git
// runs.

const HEADER = 12;
/** Timestamps, numbers, mode, owner, size, SHA-1 and flags come before the name. */
const MODE_AT = 24;
const FLAGS_AT = 60;
const NAME_AT = 62;
const HASH = 20;
const LONG_NAME = 0xfff;

interface Entry {
  readonly kind: number;
  readonly name: Buffer;
  /** How much of the previous name this one shares at its beginning. */
  readonly copied: number;
  readonly end: number;
}

export const GITLINK = 0o160000;

/**
 * The paths whose kind is `wanted`, or all paths. Undefined if the index is not understood or may contain more than it
 * lists.
 */
export function pathsIn(index: Buffer, wanted?: number): readonly string[] | undefined {
  if (index.length < HEADER + HASH || index.toString("latin1", 0, 4) !== "DIRC") return undefined;
  const version = index.readUInt32BE(4);
  const count = index.readUInt32BE(8);
  if (version < 2 || version > 4) return undefined;
  const starts = index.includes("IEOT") ? new Map<number, number>() : undefined;
  const paths: string[] = [];
  let before = Buffer.alloc(0);
  for (let at = HEADER, number = 0; number < count; number++) {
    const entry = entryAt(index, at, version, before);
    // A sparse index has an entry for a folder instead of its files.
    if (entry === undefined || entry.kind === 0o040000) return undefined;
    if (wanted === undefined || entry.kind === wanted) {
      const path = entry.name.toString("utf8");
      if (/[\0\uFFFD]/.test(path)) return undefined;
      paths.push(path);
    }
    if (entry.copied === 0) starts?.set(at, number);
    before = entry.name as typeof before;
    at = entry.end;
  }
  return starts && !isTableTrue(index, starts, count) ? undefined : paths;
}

function entryAt(index: Buffer, at: number, version: number, before: Buffer): Entry | undefined {
  const last = index.length - HASH;
  if (at + NAME_AT >= last) return undefined;
  const kind = index.readUInt32BE(at + MODE_AT) & 0o170000;
  const flags = index.readUInt16BE(at + FLAGS_AT);
  let from = at + NAME_AT + (version > 2 && flags & 0x4000 ? 2 : 0);
  let copied = 0;
  if (version === 4) {
    let byte = index[from++] as number;
    let dropped = byte & 127;
    for (; byte & 128; dropped = (dropped + 1) * 128 + (byte & 127)) byte = index[from++] ?? 0;
    copied = before.length - dropped;
  }
  const marked = flags & LONG_NAME;
  const length = marked === LONG_NAME ? index.indexOf(0, from) - from : marked - copied;
  const to = from + length;
  if (copied < 0 || length < 0 || to >= last || index[to] !== 0) return undefined;
  const own = index.subarray(from, to);
  const name = copied > 0 ? Buffer.concat([before.subarray(0, copied), own]) : own;
  return { kind, name, copied, end: version === 4 ? to + 1 : at + ((to - at + 8) & ~7) };
}

/**
 * Git's threads start reading at the offsets of a table: check that each is the start of an entry that we read, and
 * that the counts agree.
 */
function isTableTrue(index: Buffer, starts: ReadonlyMap<number, number>, count: number): boolean {
  for (let at = index.indexOf("IEOT"); at >= 0; at = index.indexOf("IEOT", at + 1)) {
    if (at + 12 > index.length) return false;
    const end = at + 8 + index.readUInt32BE(at + 4);
    if (end > index.length) return false;
    for (let row = at + 12; row + 8 <= end; row += 8) {
      const first = starts.get(index.readUInt32BE(row));
      if (first === undefined || first + index.readUInt32BE(row + 4) > count) return false;
    }
  }
  return true;
}
