// The last snapshot of a broker, in a file that only the same token for the same address can decrypt. With it a run can
// start while the broker is down, and does not have to wait for it.

import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { replaceFile } from "../../../platform/home/json-file.ts";
import { readIfReadable } from "../../../platform/home/small-file.ts";
import type { Snapshot } from "./wire.ts";

const CIPHER = "aes-256-gcm";
const [NONCE_BYTES, TAG_BYTES] = [12, 16];
/** Part of the authenticated data, so that a file in another format cannot be decrypted. */
const FORM = "lathe snapshot 1";

export interface SnapshotCacheParts {
  readonly file: string;
  readonly url: string;
  readonly token: string;
  /** Maximum age of a snapshot, by the broker's clock; with 0 nothing is read or written. */
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

  /** Undefined if there is no fresh snapshot, or if it is damaged or belongs to another broker or token. */
  read(): Snapshot | undefined {
    const { file, ttlMs, now } = this.#parts;
    const text = ttlMs === 0 ? undefined : readIfReadable(file);
    const kept = text === undefined ? undefined : this.#decrypt(Buffer.from(text, "base64"));
    // If the clock was set back, the snapshot seems to come from the future.
    return kept !== undefined && Math.abs(now() - kept.generatedAt) < ttlMs ? kept : undefined;
  }

  /** Of several pending writes only the last is done. A full disk only costs the next run a request. */
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

  /** Called when the broker no longer accepts the token. */
  async remove(): Promise<void> {
    await this.#writing;
    await rm(this.#parts.file, { force: true });
  }

  async #write(kept: Snapshot): Promise<void> {
    const { file } = this.#parts;
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await replaceFile(file, `${this.#encrypt(kept).toString("base64")}\n`);
  }

  #encrypt(kept: Snapshot): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key(), nonce);
    cipher.setAAD(this.#authenticatedData());
    const body = Buffer.concat([cipher.update(JSON.stringify(kept), "utf8"), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), body]);
  }

  #decrypt(bytes: Buffer): Snapshot | undefined {
    if (bytes.length <= NONCE_BYTES + TAG_BYTES) return undefined;
    const decipher = createDecipheriv(CIPHER, this.#key(), bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(this.#authenticatedData());
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    let text: string;
    try {
      text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
    } catch {
      return undefined; // encrypted with another token or for another address, or damaged
    }
    // Only this code can have written it, after checking it. Checking again would slow down every start.
    return JSON.parse(text) as Snapshot;
  }

  #authenticatedData(): Buffer {
    return Buffer.from(`${FORM}\n${this.#parts.url}`);
  }

  #key(): Buffer {
    return createHash("sha256").update(this.#parts.token).digest();
  }
}
