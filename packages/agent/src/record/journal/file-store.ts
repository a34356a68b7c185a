// A journal in a file, written with O_APPEND by the one process that holds its locks.

import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { syncFile, syncPath } from "../../base/blobs/sync-path.ts";
import { JournalError } from "./errors.ts";
import { breaksOffInHeader } from "./has-begun.ts";
import { changeByOthers } from "./in-place.ts";
import { type JournalLock, type LockOwner, lockInode, lockPath, removeDeadLocks } from "./lock.ts";
import { openRegularFile, realJournalPath } from "./regular-file.ts";
import type { JournalStore } from "./store.ts";

const SCRATCH_BYTES = 256 << 10;

/** The writer of a session file; without an owner, the file is opened read-only. */
export interface FileStoreOptions {
  /** The writer; absent for read-only access without a lock. */
  readonly owner?: LockOwner | undefined;
  /**
   * Create the file (and its folder) if it does not exist; otherwise a missing file is an error. A file without a
   * started session is emptied.
   */
  readonly create?: boolean | undefined;
  /** Folder of the locks by inode, which all writers must share; the journal's own folder if absent. */
  readonly locks?: string | undefined;
}

/** A session file on disk, with a lock that keeps other writers out. */
export class FileStore implements JournalStore {
  readonly label: string;
  readonly folder: string;
  /** Empty if the file is opened read-only. */
  readonly #locks: JournalLock[] = [];
  readonly #isWriter: boolean;
  #fd: number | undefined;
  /**
   * The temporary name of a new file, until it holds its first line: a file with a session's name always contains a
   * session.
   */
  #unnamed: string | undefined;
  /** Its directory entry is not synced yet. */
  #isNew = false;
  #size = 0;
  #inode = 0;
  #error: JournalError | undefined;
  /** Buffer for reads, which come one line or one chunk at a time. */
  #scratch: Buffer | undefined;
  /** The part of the file in the buffer, and where the last read ended. Written bytes never change. */
  #window = { start: 0, end: 0, lastEnd: -1 };

  constructor(path: string, options: FileStoreOptions = {}) {
    if (options.create) makeFolder(dirname(path));
    this.label = realJournalPath(path);
    this.folder = this.label.replace(/\.jsonl$/, "");
    this.#isWriter = options.owner !== undefined;
    try {
      this.#openFile(options);
    } catch (error) {
      this.#release();
      if (error instanceof JournalError) throw error;
      throw new JournalError("io", `The session file ${path} cannot be opened: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }

  /**
   * Locked by path before the file is touched, and by inode once it is open: a hard link is another path of the same
   * file.
   */
  #openFile({ owner, create, locks }: FileStoreOptions): void {
    if (owner) this.#locks.push(lockPath(this.label, owner));
    const access = owner ? constants.O_RDWR | constants.O_APPEND : constants.O_RDONLY;
    // We must open the file that we locked: the path is a real path, so a link there has only just been created.
    const flags = access | constants.O_NOFOLLOW;
    if (create && !existsSync(this.label)) this.#unnamed = `${this.label}.new`;
    // A file that a killed process left under that name contains no session.
    const newFile = constants.O_CREAT | constants.O_TRUNC;
    const fd =
      this.#unnamed === undefined
        ? openRegularFile(this.label, flags)
        : openRegularFile(this.#unnamed, flags | newFile);
    this.#fd = fd;
    if (owner) this.#locks.push(lockInode(fd, { shared: locks, own: dirname(this.label) }, owner));
    ({ size: this.#size, ino: this.#inode } = fstatSync(fd));
    if (create && breaksOffInHeader(this.#size, (length) => this.read(0, length))) {
      if (this.#size > 0) ftruncateSync(fd, 0);
      this.#size = 0;
    }
    this.#isNew = this.#size === 0;
    if (!owner || this.#isNew) return;
    removeDeadLocks(dirname(this.label), owner, `${basename(this.label)}.lock.`);
    if (this.folder !== this.label) removeDeadLocks(this.folder, owner);
    if (locks !== undefined) removeDeadLocks(locks, owner);
  }

  get size(): number {
    return this.#size;
  }

  read(offset: number, length: number): Buffer {
    if (length > SCRATCH_BYTES) return this.#fill(Buffer.allocUnsafe(length), offset);
    const { start, end, lastEnd } = this.#window;
    // Lines are mostly read in order, so we read ahead; a line from elsewhere is read alone.
    const goesOn = offset >= lastEnd && offset - lastEnd < SCRATCH_BYTES / 2;
    this.#scratch ??= Buffer.allocUnsafeSlow(SCRATCH_BYTES);
    if (offset < start || offset + length > end) {
      const got = this.#fill(goesOn ? this.#scratch : this.#scratch.subarray(0, length), offset);
      this.#window = { start: offset, end: offset + got.length, lastEnd: offset + length };
    } else this.#window.lastEnd = offset + length;
    const from = offset - this.#window.start;
    return this.#scratch.subarray(from, Math.min(from + length, this.#window.end - this.#window.start));
  }

  #fill(buffer: Buffer, offset: number): Buffer {
    let filled = 0;
    while (filled < buffer.length) {
      const got = readSync(this.#open(), buffer, filled, buffer.length - filled, offset + filled);
      if (got === 0) break;
      filled += got;
    }
    return buffer.subarray(0, filled);
  }

  append(text: string | Uint8Array): void {
    if (this.#error) throw this.#error;
    const fd = this.#open();
    if (!this.#isWriter) throw new JournalError("io", `The session file ${this.label} was opened for reading only.`);
    const bytes = typeof text === "string" ? Buffer.from(text) : text;
    let written = 0;
    try {
      this.#mustBeOurs(fd);
      while (written < bytes.length) written += writeSync(fd, bytes, written);
      this.#size += bytes.length;
      if (this.#unnamed !== undefined) renameSync(this.#unnamed, this.label);
      this.#unnamed = undefined;
    } catch (error) {
      throw this.#latch(error);
    }
  }

  async sync(): Promise<void> {
    if (this.#error) throw this.#error;
    const fd = this.#open();
    try {
      this.#mustBeOurs(fd);
      // Both at once, so that the disk writes them together.
      await Promise.all([syncFile(fd), this.#isNew ? syncPath(dirname(this.label)) : undefined]);
      this.#isNew = false;
    } catch (error) {
      throw this.#latch(error);
    }
  }

  async close(): Promise<void> {
    this.#release();
  }

  /** The lock by inode is released first, because the inode number may be reused as soon as the file is closed. */
  #release(): void {
    const [byPath, byInode] = this.#locks.splice(0);
    byInode?.release();
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
    if (this.#unnamed !== undefined) rmSync(this.#unnamed, { force: true });
    this.#unnamed = undefined;
    byPath?.release();
  }

  #open(): number {
    if (this.#fd === undefined) throw new JournalError("closed", "The session is closed; open it again to use it.");
    return this.#fd;
  }

  /** Throws if the file is gone or was changed by someone else: what is written to it now would be lost. */
  #mustBeOurs(fd: number): void {
    const change = changeByOthers({ fd, path: this.#unnamed ?? this.label, inode: this.#inode, size: this.#size });
    if (change) throw change;
  }

  #latch(cause: unknown): JournalError {
    if (cause instanceof JournalError) {
      this.#error = cause;
      return cause;
    }
    this.#error = new JournalError(
      "io",
      `The session file ${this.label} cannot be written: ${(cause as Error).message}. Nothing more is recorded; free space or fix the folder, then open the session again.`,
      { cause },
    );
    return this.#error;
  }
}

function makeFolder(path: string): void {
  try {
    if (!existsSync(path)) mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    const cause = creationError(path) ?? error;
    throw new JournalError("io", `The folder for sessions cannot be created: ${(cause as Error).message}`, { cause });
  }
}

/**
 * On a read-only disk, creating all folders at once reports ENOENT; creating the first missing one reports the real
 * reason.
 */
function creationError(path: string): unknown {
  let missing = path;
  while (!existsSync(dirname(missing))) missing = dirname(missing);
  try {
    mkdirSync(missing, { mode: 0o700 });
    return undefined;
  } catch (error) {
    return error;
  }
}
