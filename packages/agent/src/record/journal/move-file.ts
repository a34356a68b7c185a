// Moves a session to another directory. What it says about its directory is in its first line, and lines are never rewritten: so
// a copy under a new first line takes the place of the file, and the file is then renamed. There is one file at every moment, and
// what lies beside it is there under the new name before the file is (ADR 0130).

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
import { hasBegun } from "./begun.ts";
import { parseChecked } from "./decode.ts";
import { JournalError } from "./errors.ts";
import { FileStore, type FileStoreOptions } from "./file-store.ts";
import { encodeLine } from "./line.ts";
import { headerChecker } from "./line-shapes.ts";
import { linkFolder } from "./link-folder.ts";
import type { LockOwner } from "./lock.ts";

/** Where a session goes, and who moves it. */
export interface MoveOptions {
  readonly from: string;
  /** May be the same path: then only the directory changes. */
  readonly to: string;
  /** The directory that the session belongs to from now on. */
  readonly cwd: string;
  readonly writer: FileStoreOptions & { readonly owner: LockOwner };
  /** Adds to the session what belongs to the move; called with the path of the copy, before that takes its place. */
  readonly prepare?: ((copy: string) => Promise<void>) | undefined;
}

const CHUNK_BYTES = 1 << 20;
const NEWLINE = 10;

/** A copy that is not yet the session. What a killed process left under this name is overwritten by the next move. */
export const movingCopy = (path: string): string => `${path}.moving`;

/** Refused while a process has the session open. When a step fails, the ones before it are taken back and the session is as it was. */
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
    // Moving is not work: the session keeps its place in lists.
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
  // The same files are in the new folder: a process that ends here leaves names behind, and nothing else.
  rmSync(store.folder, { recursive: true, force: true });
}

interface FirstLine {
  readonly header: object;
  /** The line's length, with its newline. */
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
