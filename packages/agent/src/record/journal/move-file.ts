// Moves a session to another directory. The first line names the session's directory, and lines are never rewritten; so
// a copy with a new first line replaces the file, which is then renamed. There is exactly one file at every moment, and
// the folder next to it exists under the new name before the file does (ADR 0130).

import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { JOURNAL_VERSION } from "../../contract/journal.ts";
import { parseChecked } from "./decode.ts";
import { JournalError } from "./errors.ts";
import { FileStore, type FileStoreOptions } from "./file-store.ts";
import { hasBegun } from "./has-begun.ts";
import { encodeLine } from "./line.ts";
import { headerChecker } from "./line-shapes.ts";
import { linkFolder } from "./link-folder.ts";
import type { LockOwner } from "./lock.ts";

/** The target of a moved session, and the process that moves it. */
export interface MoveOptions {
  readonly from: string;
  /** May be the same path; then only the directory changes. */
  readonly to: string;
  /** The directory that the session belongs to from now on. */
  readonly cwd: string;
  readonly writer: FileStoreOptions & { readonly owner: LockOwner };
  /** Adds lines about the move to the session; called with the path of the copy before that replaces the file. */
  readonly prepare?: ((copy: string) => Promise<void>) | undefined;
}

const CHUNK_BYTES = 1 << 20;
const NEWLINE = 10;

/** A copy that is not yet the session. The next move overwrites what a killed process left under this name. */
export const movingCopy = (path: string): string => `${path}.moving`;

/**
 * Refused while a process has the session open. If a step fails, the steps before it are undone and the session is
 * unchanged.
 */
export async function moveJournalFile({ from, to, cwd, writer, prepare }: MoveOptions): Promise<void> {
  const store = new FileStore(from, writer);
  const isSamePath = store.label === to;
  const undo: (() => void)[] = [];
  try {
    if (!isSamePath && existsSync(to) && hasBegun(to))
      throw new JournalError(
        "io",
        `There is a session at ${to} already. Remove it, or move this one to another folder.`,
      );
    mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
    const first = firstLine(store);
    const copy = movingCopy(store.label);
    const { atime, mtime } = statSync(store.label);
    undo.push(() => rmSync(copy, { force: true }));
    writeCopy(store, copy, first, { ...first.header, cwd });
    await prepare?.(copy);
    // Moving a session does not count as activity, so it keeps its position in lists.
    utimesSync(copy, atime, mtime);
    const folder = to.replace(/\.jsonl$/, "");
    if (!isSamePath && store.folder !== store.label && existsSync(store.folder)) {
      undo.push(() => rmSync(folder, { recursive: true, force: true }));
      linkFolder(store.folder, folder, () => undo.pop());
    }
    renameSync(copy, store.label);
    if (isSamePath) return;
    undo.push(() => {
      writeCopy(store, copy, first, first.header);
      utimesSync(copy, atime, mtime);
      renameSync(copy, store.label);
    });
    renameSync(store.label, to);
  } catch (error) {
    for (const step of undo.reverse()) step();
    if (error instanceof JournalError) throw error;
    throw new JournalError(
      "io",
      `The session stays where it is, because it could not be moved: ${(error as Error).message}`,
      {
        cause: error,
      },
    );
  } finally {
    await store.close();
  }
  // The new folder has the same files: a process that dies here leaves only surplus names.
  rmSync(store.folder, { recursive: true, force: true });
}

interface FirstLine {
  readonly header: object;
  /** The length of the line, including its newline. */
  readonly length: number;
}

function writeCopy(store: FileStore, path: string, first: FirstLine, header: object): void {
  const fd = openSync(path, "w", 0o600);
  try {
    writeAll(fd, encodeLine(header));
    for (let at = first.length; at < store.size; at += CHUNK_BYTES)
      writeAll(fd, store.read(at, Math.min(CHUNK_BYTES, store.size - at)));
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function writeAll(fd: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written);
}

function firstLine(store: FileStore): FirstLine {
  const start = Buffer.from(store.read(0, Math.min(CHUNK_BYTES, store.size)));
  const end = start.indexOf(NEWLINE);
  const parsed = parseChecked(start.subarray(0, end === -1 ? start.length : end));
  if ("problem" in parsed || !headerChecker.fits(parsed.value))
    throw new JournalError("corrupt", `${store.label} does not begin like a session, so it cannot be moved.`);
  if (parsed.value["version"] !== JOURNAL_VERSION)
    throw new JournalError(
      "version",
      `${store.label} has an older format. Continue it once, which makes a new file, then move that.`,
    );
  return { header: parsed.value, length: end === -1 ? start.length : end + 1 };
}
