// Where the lines of a journal are stored: an append-only run of bytes with random reads. Appends are synchronous (a line costs
// about 10 us, measured by bench/journal.bench.ts), so there is one order of lines and no queue; only fsync is awaited.

import { JournalError } from "./errors.ts";

/** Bytes that can be appended to and read anywhere: what a journal is written to. */
export interface JournalStore {
  /** Names the store in messages and in `parentSession`: the path of a file. */
  readonly label: string;
  /** Folder beside the journal for artifacts and children; undefined in memory. */
  readonly folder: string | undefined;
  readonly size: number;
  /** The bytes may be overwritten by the next call: copy what must stay. */
  read(offset: number, length: number): Buffer;
  /** Returns when the bytes have been passed to the system. The first failure is latched and thrown again by every later call. */
  append(text: string | Uint8Array): void;
  /** Resolves when everything appended so far would survive a power loss. */
  sync(): Promise<void>;
  /** Releases the store. Idempotent. */
  close(): Promise<void>;
}

/** A store for journals that need no file. */
export class MemoryStore implements JournalStore {
  readonly label: string;
  readonly folder = undefined;
  #bytes: Buffer;
  #size: number;
  #closed = false;

  /** @param initial is kept, not copied */
  constructor(initial: string | Buffer = "", label = "memory") {
    this.#bytes = typeof initial === "string" ? Buffer.from(initial) : initial;
    this.#size = this.#bytes.length;
    this.label = label;
  }

  get size(): number {
    return this.#size;
  }

  read(offset: number, length: number): Buffer {
    return this.#bytes.subarray(offset, Math.min(offset + length, this.#size));
  }

  append(text: string | Uint8Array): void {
    if (this.#closed) throw new JournalError("closed", "The session is closed; open it again to write to it.");
    const added = typeof text === "string" ? Buffer.from(text) : text;
    if (this.#size + added.length > this.#bytes.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(4096, (this.#size + added.length) * 2));
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    this.#bytes.set(added, this.#size);
    this.#size += added.length;
  }

  sync(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.#closed = true;
    return Promise.resolve();
  }
}
