// The last snapshot of a broker, in a file that only the same token for the same address can read. It lets a run begin while the broker
// is down, and without waiting for it.

import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { replaceFile } from "../../../platform/home/json-file.ts";
import { readIfReadable } from "../../../platform/home/small-file.ts";
import type { Snapshot } from "./wire.ts";

const CIPHER = "aes-256-gcm";
const [NONCE_BYTES, TAG_BYTES] = [12, 16];
/** Part of what is authenticated: what another form has written cannot be opened. */
const FORM = "lathe snapshot 1";

export interface SnapshotCacheParts {
  readonly file: string;
  readonly url: string;
  readonly token: string;
  /** How old a snapshot may be, by the broker's clock; 0: nothing is read or written. */
  readonly ttlMs: number;
  readonly now: () => number;
}

export class SnapshotCache {
  readonly #parts: SnapshotCacheParts;
  #writing: Promise<void> = Promise.resolve();
  #waiting: Snapshot | undefined;

  constructor(parts: SnapshotCacheParts) {
    this.#parts = parts;
  }

  /** Undefined: there is none that is fresh, or it is damaged, another broker's, or of another token. */
  read(): Snapshot | undefined {
    const { file, ttlMs, now } = this.#parts;
    const text = ttlMs === 0 ? undefined : readIfReadable(file);
    const kept = text === undefined ? undefined : this.#opened(Buffer.from(text, "base64"));
    // A clock that was set back makes it seem to come from the future.
    return kept !== undefined && Math.abs(now() - kept.generatedAt) < ttlMs ? kept : undefined;
  }

  /** Of several that wait the last one is written. A full disk costs the next run a request, nothing else. */
  write(kept: Snapshot): Promise<void> {
    if (this.#parts.ttlMs === 0) return this.#writing;
    const isWaiting = this.#waiting !== undefined;
    this.#waiting = kept;
    if (isWaiting) return this.#writing;
    this.#writing = this.#writing.then(async () => {
      const last = this.#waiting;
      this.#waiting = undefined;
      if (last) await this.#write(last).catch(() => undefined);
    });
    return this.#writing;
  }

  /** The broker does not accept the token any more. */
  async remove(): Promise<void> {
    await this.#writing;
    await rm(this.#parts.file, { force: true });
  }

  async #write(kept: Snapshot): Promise<void> {
    const { file } = this.#parts;
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await replaceFile(file, `${this.#closed(kept).toString("base64")}\n`);
  }

  #closed(kept: Snapshot): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key(), nonce);
    cipher.setAAD(this.#bound());
    const body = Buffer.concat([cipher.update(JSON.stringify(kept), "utf8"), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), body]);
  }

  #opened(bytes: Buffer): Snapshot | undefined {
    if (bytes.length <= NONCE_BYTES + TAG_BYTES) return undefined;
    const decipher = createDecipheriv(CIPHER, this.#key(), bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(this.#bound());
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    let text: string;
    try {
      text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
    } catch {
      return undefined; // not made with this token for this address, or damaged
    }
    // Only this code could have written it, after it was checked: to check it again would slow down every start.
    return JSON.parse(text) as Snapshot;
  }

  #bound(): Buffer {
    return Buffer.from(`${FORM}\n${this.#parts.url}`);
  }

  #key(): Buffer {
    return createHash("sha256").update(this.#parts.token).digest();
  }
}
