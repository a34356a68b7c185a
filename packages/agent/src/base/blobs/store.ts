// Content-addressed bytes: the name of a blob is the SHA-256 of its content, so the same image is stored once.

import { createHash } from "node:crypto";

/** Large contents of a session, stored once under the SHA-256 of their bytes. */
export interface BlobStore {
  /**
   * Stores the bytes and returns their hex digest. A caller that knows the digest passes it as `hash`, because hashing
   * large contents is slow.
   */
  put(bytes: Uint8Array, hash?: string): string;
  /** Undefined if the blob is missing or no longer matches its name. */
  get(hash: string): Uint8Array | undefined;
  /** Size in bytes, without reading the blob; undefined if it is missing. */
  size(hash: string): number | undefined;
  /** Resolves when all blobs stored so far would survive a power loss. */
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
