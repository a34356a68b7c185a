// Remembers digests of files while their size, times and inode stay the same, so that a start needs to read no files.
// Stored in a file that can be deleted at any time.

import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { parseJson } from "@lathe/llm";
import { Checker, listOf, text } from "@lathe/llm/schema";

/** A change this soon after a check may leave size and times unchanged. */
const TICK_MS = 3_000;
const MOST_KEPT = 2_000;

/** Path, mark and digest of each file. */
const rows = new Checker(listOf(listOf(text(), { minItems: 3, maxItems: 3 })));

export class FileMarks {
  readonly #file: string;
  readonly #now: () => number;
  #known: Map<string, readonly [mark: string, digest: string]> | undefined;
  #isChanged = false;

  constructor(file: string, now: () => number) {
    this.#file = file;
    this.#now = now;
  }

  /** Undefined if the file must be read. */
  digestOf(path: string): string | undefined {
    const [mark, digest] = this.#all().get(path) ?? [];
    return mark !== undefined && mark === this.#markOf(path) ? digest : undefined;
  }

  /** Stores the digest that `before` reads, unless the file changes meanwhile. */
  async recordRead(path: string, before: () => Promise<string | undefined>): Promise<string | undefined> {
    const mark = this.#markOf(path);
    const digest = await before();
    if (mark !== undefined && digest !== undefined && mark === this.#markOf(path)) {
      this.#all().set(path, [mark, digest]);
      this.#isChanged = true;
    }
    return digest;
  }

  save(): void {
    if (!this.#isChanged) return;
    this.#isChanged = false;
    const kept = [...this.#all()].slice(-MOST_KEPT).map(([path, [mark, digest]]) => [path, mark, digest]);
    try {
      mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
      const aside = `${this.#file}.${process.pid}.tmp`;
      writeFileSync(aside, JSON.stringify(kept), { mode: 0o600 });
      renameSync(aside, this.#file);
    } catch {
      // A full disk only costs the next start a few reads.
    }
  }

  /** Undefined for anything but a file, and for a file that has just changed. */
  #markOf(path: string): string | undefined {
    const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
    if (!stat?.isFile()) return undefined;
    const latest = stat.ctimeMs > stat.mtimeMs ? stat.ctimeMs : stat.mtimeMs;
    return Number(latest) < this.#now() - TICK_MS
      ? `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`
      : undefined;
  }

  #all(): Map<string, readonly [mark: string, digest: string]> {
    if (this.#known) return this.#known;
    let read: unknown;
    try {
      read = parseJson(readFileSync(this.#file, "utf8"));
    } catch {
      // The file does not exist yet.
    }
    this.#known = new Map(
      (rows.fits(read) ? read : []).map(([path = "", mark = "", digest = ""]) => [path, [mark, digest]]),
    );
    return this.#known;
  }
}
