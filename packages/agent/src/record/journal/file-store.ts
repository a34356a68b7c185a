// A journal in a file: O_APPEND writes by the one process that holds its locks.

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
import { breaksOffInHeader } from "./begun.ts";
import { JournalError } from "./errors.ts";
import { type JournalLock, type LockOwner, lockInode, lockPath, removeDeadLocks } from "./lock.ts";
import { openRegularFile, realJournalPath } from "./regular-file.ts";
import type { JournalStore } from "./store.ts";

const SCRATCH_BYTES = 256 << 10;

/** Who writes to a session file; without an owner it is only read. */
export interface FileStoreOptions {
  /** Who writes; absent = read only, without a lock. */
  readonly owner?: LockOwner | undefined;
  /**
   * Create the file (and its folder) when it is not there; otherwise a missing file is an error. One in which no session
   * has begun is emptied.
   */
  readonly create?: boolean | undefined;
  /** Folder of the locks by inode, which all writers must share; the journal's own when absent. */
  readonly locks?: string | undefined;
}

/** A session file on disk, with a lock that keeps other writers out. */
export class FileStore implements JournalStore {
  readonly label: string;
  readonly folder: string;
  /** None of a file that is only read. */
  readonly #locks: JournalLock[] = [];
  readonly #isWriter: boolean;
  #fd: number | undefined;
  /** A new file has another name until it holds its first line: what is called a session always is one. */
  #unnamed: string | undefined;
  /** Its name is not yet safe in the folder. */
  #isNew = false;
  #size = 0;
  #error: JournalError | undefined;
  /** Reused by reads, which come one line or one chunk at a time. */
  #scratch: Buffer | undefined;
  /** What of the file is in it, and where the last read ended. What was written never changes. */
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

  /** By path before the file is touched, and by inode once it is open: a hard link is another path of the same file. */
  #openFile({ owner, create, locks }: FileStoreOptions): void {
    if (owner) this.#locks.push(lockPath(this.label, owner));
    const access = owner ? constants.O_RDWR | constants.O_APPEND : constants.O_RDONLY;
    // What is locked is what is opened: the path is a real one, so a link there was put in its place just now.
    const flags = access | constants.O_NOFOLLOW;
    if (create && !existsSync(this.label)) this.#unnamed = `${this.label}.new`;
    // What a process that was killed has left under that name holds no session.
    const newFile = constants.O_CREAT | constants.O_TRUNC;
    const fd =
      this.#unnamed === undefined
        ? openRegularFile(this.label, flags)
        : openRegularFile(this.#unnamed, flags | newFile);
    this.#fd = fd;
    if (owner) this.#locks.push(lockInode(fd, { shared: locks, own: dirname(this.label) }, owner));
    this.#size = fstatSync(fd).size;
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
    // Lines are mostly read in their order, so the ones behind come along; a line from elsewhere is read alone.
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
      // Both at once: the disk writes them in one go.
      await Promise.all([syncFile(fd), this.#isNew ? syncPath(dirname(this.label)) : undefined]);
      this.#isNew = false;
    } catch (error) {
      throw this.#latch(error);
    }
  }

  async close(): Promise<void> {
    this.#release();
  }

  /** The lock by inode goes first: the number may belong to another file as soon as this one is closed. */
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

  #latch(cause: unknown): JournalError {
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
    const cause = reasonAgainst(path) ?? error;
    throw new JournalError("io", `The folder for sessions cannot be created: ${(cause as Error).message}`, { cause });
  }
}

/** Making all folders at once says ENOENT on a read-only disk; the first one that is missing says why. */
function reasonAgainst(path: string): unknown {
  let missing = path;
  while (!existsSync(dirname(missing))) missing = dirname(missing);
  try {
    mkdirSync(missing, { mode: 0o700 });
    return undefined;
  } catch (error) {
    return error;
  }
}
