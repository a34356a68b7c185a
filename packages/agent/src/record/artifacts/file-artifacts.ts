import { closeSync, constants, mkdirSync, openSync, readdirSync, writeSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { ArtifactRef, ArtifactWriter } from "../../contract/tool.ts";
import type { ArtifactStore } from "./store.ts";

/** The folder next to the artifacts through which a session and its children exchange texts. */
export const LOCAL_FOLDER = "local";
const NAME = /^(\d{1,15})\..*\.log$/;
export const isArtifactName = (name: string): boolean => NAME.test(name);

/** Artifacts as `<folder>/<n>.<tool>.log`. The folder is created with the first one. */
export class FileArtifacts implements ArtifactStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  open(name: string): ArtifactWriter {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    let id = 0;
    for (const taken of this.#files().keys()) id = Math.max(id, taken + 1);
    const fd = openSync(join(this.#folder, `${id}.${name.replace(/[^A-Za-z0-9_-]/g, "_")}.log`), "wx", 0o600);
    let bytes = 0;
    let isOpen = true;
    return {
      id,
      write: (chunk) => {
        for (let at = 0; at < chunk.length; ) at += writeSync(fd, chunk, at);
        bytes += chunk.length;
      },
      close: async (): Promise<ArtifactRef> => {
        if (isOpen) closeSync(fd);
        isOpen = false;
        return { id, bytes };
      },
    };
  }

  async read(id: number, range?: { start: number; end: number }): Promise<Uint8Array | undefined> {
    const name = this.#files().get(id);
    if (name === undefined) return undefined;
    // Non-blocking, because a pipe may have the name of an artifact.
    const file = await open(join(this.#folder, name), constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stat = await file.stat();
      if (!stat.isFile()) return undefined;
      const { size } = stat;
      const start = Math.min(range?.start ?? 0, size);
      const end = Math.min(range?.end ?? size, size);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.max(0, end - start)), 0, end - start, start);
      return new Uint8Array(buffer.subarray(0, bytesRead));
    } finally {
      await file.close();
    }
  }

  async ids(): Promise<readonly number[]> {
    return [...this.#files().keys()].sort((a, b) => a - b);
  }

  #files(): Map<number, string> {
    const files = new Map<number, string>();
    for (const name of this.#names()) {
      const id = NAME.exec(name)?.[1];
      if (id !== undefined) files.set(Number(id), name);
    }
    return files;
  }

  #names(): string[] {
    try {
      return readdirSync(this.#folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      throw error;
    }
  }
}
