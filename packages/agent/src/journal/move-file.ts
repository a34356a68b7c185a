// Moves a session to another directory. What it says about its directory is in its first line, and lines are never rewritten: so
// the file is copied under a new first line, its folder goes along, and only then the old file is removed.

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
import { hasBegun } from "./begun.ts";
import { parseChecked } from "./decode.ts";
import { JournalError } from "./errors.ts";
import { FileStore, type FileStoreOptions } from "./file-store.ts";
import { encodeLine } from "./line.ts";
import { headerShape } from "./line-shapes.ts";
import type { LockOwner } from "./lock.ts";
import { JOURNAL_VERSION } from "./types.ts";

/** Where a session goes, and who moves it. */
export interface MoveOptions {
  readonly from: string;
  /** May be the same path: then only the directory changes. */
  readonly to: string;
  /** The directory that the session belongs to from now on. */
  readonly cwd: string;
  readonly writer: FileStoreOptions & { readonly owner: LockOwner };
}

const CHUNK_BYTES = 1 << 20;
const NEWLINE = 10;

/** Refused while a process has the session open. When a step fails, the ones before it are taken back and the session is as it was. */
export async function moveJournalFile({ from, to, cwd, writer }: MoveOptions): Promise<void> {
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
    const copy = `${to}.${writer.owner.token}.moving`;
    undo.push(() => rmSync(copy, { force: true }));
    writeCopy(store, copy, cwd);
    const { atime, mtime } = statSync(store.label);
    // Moving is not work: the session keeps its place in lists.
    utimesSync(copy, atime, mtime);
    renameSync(copy, to);
    if (isSamePath) return;
    undo.push(() => rmSync(to));
    const folder = to.replace(/\.jsonl$/, "");
    if (existsSync(store.folder)) {
      renameSync(store.folder, folder);
      undo.push(() => renameSync(folder, store.folder));
    }
    rmSync(store.label);
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
}

function writeCopy(store: FileStore, path: string, cwd: string): void {
  const { header, length } = firstLine(store);
  const fd = openSync(path, "wx", 0o600);
  try {
    writeAll(fd, encodeLine({ ...header, cwd }));
    for (let at = length; at < store.size; at += CHUNK_BYTES)
      writeAll(fd, store.read(at, Math.min(CHUNK_BYTES, store.size - at)));
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function writeAll(fd: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written);
}

/** `length`: with its newline. */
function firstLine(store: FileStore): { readonly header: object; readonly length: number } {
  const start = Buffer.from(store.read(0, Math.min(CHUNK_BYTES, store.size)));
  const end = start.indexOf(NEWLINE);
  const parsed = parseChecked(start.subarray(0, end === -1 ? start.length : end));
  if ("problem" in parsed || headerShape(parsed.value) !== undefined)
    throw new JournalError("corrupt", `${store.label} does not begin like a session, so it cannot be moved.`);
  if (parsed.value["version"] !== JOURNAL_VERSION)
    throw new JournalError(
      "version",
      `${store.label} has an older format. Continue it once, which makes a new file, then move that.`,
    );
  return { header: parsed.value, length: end === -1 ? start.length : end + 1 };
}
