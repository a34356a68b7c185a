// A journal in a file: O_APPEND writes by the one process that holds the lock beside it.

import { closeSync, constants, existsSync, fstatSync, fsync, mkdirSync, openSync, readSync, writeSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { JournalError } from "./errors.ts";
import { acquireLock, type JournalLock, type LockOwner } from "./lock.ts";
import type { JournalStore } from "./store.ts";

const SCRATCH_BYTES = 256 << 10;

export interface FileStoreOptions {
  /** Who writes; absent = read only, without a lock. */
  readonly owner?: LockOwner;
  /** Create the file (and its folder) when it is not there; otherwise a missing file is an error. */
  readonly create?: boolean;
}

export class FileStore implements JournalStore {
  readonly label: string;
  readonly folder: string;
  readonly #lock: JournalLock | undefined;
  #fd: number | undefined;
  /** Its name is not yet safe in the folder. */
  #isNew: boolean;
  #size: number;
  #error: JournalError | undefined;
  /** Reused by reads, which come one line or one chunk at a time. */
  #scratch: Buffer | undefined;

  constructor(path: string, options: FileStoreOptions = {}) {
    this.label = path;
    this.folder = path.replace(/\.jsonl$/, "");
    if (options.create) makeFolder(dirname(path));
    const access = options.owner ? constants.O_RDWR | constants.O_APPEND : constants.O_RDONLY;
    this.#lock = options.owner && acquireLock(`${path}.lock`, options.owner);
    try {
      this.#fd = openSync(path, access | (options.create ? constants.O_CREAT : 0), 0o600);
      this.#size = fstatSync(this.#fd).size;
      this.#isNew = this.#size === 0;
    } catch (error) {
      this.#lock?.release();
      throw new JournalError("io", `The session file ${path} cannot be opened: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }

  get size(): number {
    return this.#size;
  }

  read(offset: number, length: number): Buffer {
    if (length <= SCRATCH_BYTES) this.#scratch ??= Buffer.allocUnsafeSlow(SCRATCH_BYTES);
    const buffer = length <= SCRATCH_BYTES ? this.#scratch! : Buffer.allocUnsafe(length);
    let filled = 0;
    while (filled < length) {
      const got = readSync(this.#open(), buffer, filled, length - filled, offset + filled);
      if (got === 0) break;
      filled += got;
    }
    return buffer.subarray(0, filled);
  }

  append(text: string | Uint8Array): void {
    if (this.#error) throw this.#error;
    const fd = this.#open();
    if (!this.#lock) throw new JournalError("io", `The session file ${this.label} was opened for reading only.`);
    const bytes = typeof text === "string" ? Buffer.from(text) : text;
    let written = 0;
    try {
      while (written < bytes.length) written += writeSync(fd, bytes, written);
      this.#size += bytes.length;
    } catch (error) {
      throw this.#latch(error);
    }
  }

  async sync(): Promise<void> {
    if (this.#error) throw this.#error;
    const fd = this.#open();
    try {
      await syncFile(fd);
      if (this.#isNew) await syncFolder(dirname(this.label));
      this.#isNew = false;
    } catch (error) {
      throw this.#latch(error);
    }
  }

  async close(): Promise<void> {
    if (this.#fd === undefined) return;
    const fd = this.#fd;
    this.#fd = undefined;
    closeSync(fd);
    this.#lock?.release();
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
  } catch (cause) {
    throw new JournalError("io", `The folder for sessions cannot be made: ${(cause as Error).message}`, { cause });
  }
}

function syncFile(fd: number): Promise<void> {
  return new Promise((resolve, reject) => fsync(fd, (error) => (error ? reject(error) : resolve())));
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
