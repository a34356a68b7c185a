// What zip and tar archives have in common: members with names, and limits on how much is read.

import { CannotParse } from "../types.ts";

/** Larger ones are refused before their bytes are read. */
export const limits = {
  members: 200_000,
  /** The list of members at the end of a zip archive. */
  directoryBytes: 64 << 20,
  memberBytes: 64 << 20,
  /** A compressed tar archive is inflated from its beginning for every read. */
  compressedBytes: 128 << 20,
  inflatedBytes: 2 ** 31,
  /** For an archive that is rewritten, and for a compressed one before compression. */
  writtenBytes: 256 << 20,
  writtenInflatedBytes: 96 << 20,
} as const;

export interface Member {
  /** The canonical name: no `.`, no empty parts, no slash at either end. Undefined if it leads out of the archive. */
  readonly name: string | undefined;
  readonly kind: "file" | "directory" | "link" | "other";
  readonly size: number;
  /** The target of a link, if the archive's list contains it. */
  readonly linkTarget?: string | undefined;
}

/** Why an archive cannot be read or written: a clause without the path. */
export class ArchiveError extends CannotParse {}

/** Absolute, or with a part that is empty, `.` or `..`, or with a byte that is invalid in names. */
const ODD_NAME = /(?:^|\/)\.{0,2}(?:\/|$)|^[a-z]:[\\/]|\0/i;

/** The canonical form of a member's name; undefined if it leads out of the archive. */
export function memberName(stored: string): string | undefined {
  if (!ODD_NAME.test(stored)) return stored;
  if (stored.startsWith("/") || /^[a-z]:[\\/]/i.test(stored) || stored.includes("\0")) return undefined;
  const parts = stored.split("/").filter((part) => part !== "" && part !== ".");
  return parts.includes("..") || parts.length === 0 ? undefined : parts.join("/");
}

export function tooLarge(what: string, size: number, most: number): ArchiveError {
  return new ArchiveError(`${what} has ${size} bytes, and at most ${most} are read here; extract it in the shell`);
}

/** The members by name. If several have the same name, the last one counts, as in an extraction. */
export function byName<M extends Member>(
  members: readonly M[],
): ReadonlyMap<string, { readonly member: M; copies: number }> {
  const found = new Map<string, { member: M; copies: number }>();
  for (const member of members) {
    if (member.name === undefined) continue;
    const known = found.get(member.name);
    if (known) Object.assign(known, { member, copies: known.copies + 1 });
    else found.set(member.name, { member, copies: 1 });
  }
  return found;
}

/** Like `byName` for a single name, without processing all of them. */
export function memberNamed<M extends Member>(
  members: readonly M[],
  name: string,
): { readonly member: M; readonly copies: number } | undefined {
  const found = members.filter((member) => member.name === name);
  const member = found.at(-1);
  return member && { member, copies: found.length };
}

/** Throws for a part that would not be a separate plain file in the archive. */
export function refuseUnwritable(members: readonly Member[], inner: string): void {
  const named = byName(members);
  const known = named.get(inner);
  if (known && known.copies > 1) {
    throw new ArchiveError(
      `${inner} is in it ${known.copies} times (the last one is what is read); remove the others first`,
    );
  }
  if (known?.member.kind === "link") throw new ArchiveError(`${inner} is a link, and links are not written through`);
  if (known?.member.kind === "other") throw new ArchiveError(`${inner} is not a regular file`);
  if (known?.member.kind === "directory") throw new ArchiveError(`${inner} is a directory in it`);
  for (let end = inner.lastIndexOf("/"); end > 0; end = inner.lastIndexOf("/", end - 1)) {
    const parent = named.get(inner.slice(0, end))?.member;
    if (!parent || parent.kind === "directory") continue;
    const what =
      parent.kind === "link" ? "a link, and links are not written through" : "a file, so nothing can be below it";
    throw new ArchiveError(`${parent.name} is ${what}`);
  }
  if (!known && members.some(({ name }) => name?.startsWith(`${inner}/`))) {
    throw new ArchiveError(`${inner} is a directory in it`);
  }
}
