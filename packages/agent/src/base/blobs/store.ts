// Content-addressed bytes: the name of a blob is the SHA-256 of its content, so the same image is stored once.

import { createHash } from "node:crypto";

/** Large contents of a session, stored once under the SHA-256 of their bytes. */
export interface BlobStore {
  /** Stores the bytes and returns their hex digest, `hash` for a caller that has it already: large contents take long to hash. */
  put(bytes: Uint8Array, hash?: string): string;
  /** Undefined when the blob is missing or no longer matches its name. */
  get(hash: string): Uint8Array | undefined;
  /** Bytes it takes, without reading them; undefined when it is missing. */
  size(hash: string): number | undefined;
  /** Resolves when all blobs put so far would survive a power loss. */
  sync(): Promise<void>;
}

export function blobHash(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

export const isBlobHash = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);

/** Blobs for sessions without a file, and for tests. */
export class MemoryBlobs implements BlobStore {
  readonly #blobs = new Map<string, Uint8Array>();

  put(bytes: Uint8Array, hash = blobHash(bytes)): string {
    if (!this.#blobs.has(hash)) this.#blobs.set(hash, bytes.slice());
    return hash;
  }

  get(hash: string): Uint8Array | undefined {
    return this.#blobs.get(hash)?.slice();
  }

  size(hash: string): number | undefined {
    return this.#blobs.get(hash)?.length;
  }

  sync(): Promise<void> {
    return Promise.resolve();
  }
}
