// Which contents of a tree earlier processes have stored, so that the first scan of a new process reads only what has
// changed. The file is only a cache: without it everything is read again.

import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { BlobStore } from "../../base/blobs/store.ts";
import { isDiskFull } from "./disk-full.ts";
import { join } from "./scan.ts";
import type { Stats } from "./stat.ts";
import type { FolderNode } from "./tree.ts";

type Row = readonly [mtimeMs: number, ctimeMs: number, size: number, ino: number, hash: string];

export class StatCache {
  readonly #file: string;
  readonly #blobs: Pick<BlobStore, "size">;
  #rows: Map<string, Row> | undefined;

  constructor(file: string, blobs: Pick<BlobStore, "size">) {
    this.#file = file;
    this.#blobs = blobs;
  }

  /** Undefined if the content was never stored, or is no longer. */
  hash(path: string, { mtimeMs, ctimeMs, size, ino }: Stats): string | undefined {
    this.#rows ??= this.#load();
    const row = this.#rows.get(path);
    if (!row || row[0] !== mtimeMs || row[1] !== ctimeMs || row[2] !== size || row[3] !== ino) return undefined;
    return this.#blobs.size(row[4]) === size ? row[4] : undefined;
  }

  /** The loaded cache is not needed after the first scan. */
  forget(): void {
    this.#rows = new Map();
  }

  save(tree: FolderNode, writer: string): void {
    const rows: Record<string, Row> = {};
    collect("/", tree, rows);
    const aside = `${this.#file}.${writer}`;
    try {
      mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
      writeFileSync(aside, JSON.stringify(rows), { mode: 0o600 });
      renameSync(aside, this.#file);
    } catch (error) {
      rmSync(aside, { force: true });
      // Without it everything is read again.
      if (!isDiskFull(error)) throw error;
    }
  }

  #load(): Map<string, Row> {
    try {
      return new Map(Object.entries(JSON.parse(readFileSync(this.#file, "utf8")) as Record<string, Row>));
    } catch {
      return new Map(); // missing or not readable: everything is read again
    }
  }
}

function collect(path: string, folder: FolderNode, rows: Record<string, Row>): void {
  for (const [name, node] of folder.children) {
    const inner = join(path, name);
    if (node.kind === "folder") collect(inner, node, rows);
    if (node.kind !== "file" || node.hash === undefined || node.mark.isFresh) continue;
    const { mtimeMs, ctimeMs, size, ino } = node.mark;
    rows[inner] = [mtimeMs, ctimeMs, size, ino, node.hash];
  }
}
