// Keeps the results that come first in path order, whatever order they are found in.

import { resolve } from "node:path/posix";
import type { GrepResult } from "../types.ts";
import { byPath, contentLines, type MatchLine, shownPath } from "./results.ts";

export interface FoundFile {
  /** Relative to the searched directory. */
  readonly path: string;
  readonly hits: number;
  readonly lines: readonly MatchLine[];
}

type Mode = "content" | "files_with_matches" | "count";

/** Keeps the files that come first in path order until they hold more results than asked for. */
export class FirstFiles {
  readonly #max: number;
  readonly #mode: Mode;
  readonly #sorted: boolean;
  #files: FoundFile[] = [];
  #kept = 0;
  #dropped = false;
  /** Hits of all files seen, kept or not. */
  hits = 0;

  constructor(max: number, mode: Mode, sorted: boolean) {
    this.#max = max;
    this.#mode = mode;
    this.#sorted = sorted;
  }

  /** Nothing that may still come can change the result. */
  get complete(): boolean {
    return this.#sorted && this.#kept > this.#max;
  }

  add(file: FoundFile): void {
    this.hits += file.hits;
    this.#files.push(file);
    this.#kept += this.#weight(file);
    if (this.#kept > 2 * this.#max + 1000) this.#drop();
  }

  result(root: string, base: string, context: number): GrepResult {
    this.#files.sort((a, b) => byPath(a.path, b.path));
    const lines: string[] = [];
    let left = this.#max;
    for (const file of this.#files) {
      if (left <= 0) return { lines, truncated: true };
      const path = shownPath(resolve(root, file.path), base);
      left -= this.#weight(file);
      if (this.#mode === "files_with_matches") lines.push(path);
      else if (this.#mode === "count") lines.push(`${path}:${file.hits}`);
      else {
        if (context > 0 && lines.length > 0) lines.push("--");
        const shown = left < 0 ? firstMatches(file.lines, left + file.hits, context) : file.lines;
        lines.push(...contentLines(path, shown, context > 0));
      }
    }
    return { lines, truncated: left < 0 || this.#dropped };
  }

  #weight(file: FoundFile): number {
    return this.#mode === "content" ? file.hits : 1;
  }

  #drop(): void {
    this.#files.sort((a, b) => byPath(a.path, b.path));
    let kept = 0;
    const end = this.#files.findIndex((file) => {
      if (kept > this.#max) return true;
      kept += this.#weight(file);
      return false;
    });
    if (end === -1) return;
    this.#files = this.#files.slice(0, end);
    this.#kept = kept;
    this.#dropped = true;
  }
}

/** The first `room` matches with their context. */
function firstMatches(lines: readonly MatchLine[], room: number, context: number): MatchLine[] {
  let left = room;
  let lastMatch = 0;
  const out: MatchLine[] = [];
  for (const line of lines) {
    if (line.isMatch && left-- === 0) break;
    if (line.isMatch) lastMatch = line.number;
    out.push(line);
  }
  // Context that belongs to the match that was omitted.
  return left < 0 ? out.filter((line) => line.number <= lastMatch + context) : out;
}
