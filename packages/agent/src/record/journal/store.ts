// Where the lines of a journal are stored: append-only bytes with random reads. Appends are synchronous (a line costs
// about 10 us, measured by bench/journal.bench.ts), so lines have one order and need no queue; only fsync is awaited.

import { JournalError } from "./errors.ts";

/** The bytes of a journal, which can be appended to and read at any offset. */
export interface JournalStore {
  /** The store's name in messages and in `parentSession`: the path of a file. */
  readonly label: string;
  /** Folder next to the journal for artifacts and children; undefined in memory. */
  readonly folder: string | undefined;
  readonly size: number;
  /** The next call may overwrite the bytes: copy what you keep. */
  read(offset: number, length: number): Buffer;
  /**
   * Returns when the bytes have been passed to the system. The first failure is stored, and every later call throws it
   * again.
   */
  append(text: string | Uint8Array): void;
  /** Resolves when everything appended so far would survive a power loss. */
  sync(): Promise<void>;
  /** Closes the store. Idempotent. */
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
