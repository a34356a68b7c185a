import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type BlobStore, blobHash, isBlobHash } from "./store.ts";
import { syncPath } from "./sync-path.ts";

/** Blobs as files named by their hash. A file appears under its name only when it is complete. */
export class FileBlobs implements BlobStore {
  readonly #folder: string;
  /** Distinguishes the temporary files of writers that share the folder. */
  readonly #writer: string;
  #unsynced: string[] = [];

  constructor(folder: string, writer: string) {
    this.#folder = folder;
    this.#writer = writer;
  }

  put(bytes: Uint8Array, hash = blobHash(bytes)): string {
    const path = join(this.#folder, hash);
    if (holds(path, bytes)) return hash;
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const aside = join(this.#folder, `.${hash}.${this.#writer}`);
    try {
      writeFileSync(aside, bytes, { mode: 0o600 });
      renameSync(aside, path);
    } catch (error) {
      // Half a blob must not use up the last space of a full disk, which the journal needs.
      rmSync(aside, { force: true });
      throw error;
    }
    this.#unsynced.push(path);
    return hash;
  }

  get(hash: string): Uint8Array | undefined {
    if (this.size(hash) === undefined) return undefined;
    try {
      const bytes = readFileSync(join(this.#folder, hash));
      return blobHash(bytes) === hash ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length) : undefined;
    } catch (error) {
      if (GONE.has((error as NodeJS.ErrnoException).code ?? "")) return undefined;
      throw error;
    }
  }

  /**
   * The hash comes from a journal line, which may contain anything: it must be a valid file name, and the entry must be
   * a regular file.
   */
  size(hash: string): number | undefined {
    if (!isBlobHash(hash)) return undefined;
    const stat = statSync(join(this.#folder, hash), { throwIfNoEntry: false });
    return stat?.isFile() ? stat.size : undefined;
  }

  async sync(): Promise<void> {
    if (this.#unsynced.length === 0) return;
    const paths = this.#unsynced;
    this.#unsynced = [];
    for (const path of [...paths, this.#folder]) await syncPath(path);
  }
}

/** The file was deleted in between, or we may not read it. */
const GONE: ReadonlySet<string> = new Set(["ENOENT", "EACCES", "EPERM"]);

/** Compares the bytes, so that a blob that was damaged on disk is written again. */
function holds(path: string, bytes: Uint8Array): boolean {
  if (!statSync(path, { throwIfNoEntry: false })) return false;
  try {
    return readFileSync(path).equals(bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}
