// Keeps the results that come first in path order, in whatever order they are found.

import { resolve } from "node:path/posix";
import type { GrepFile, GrepLine, GrepOptions, GrepResult } from "../types.ts";
import { byPath, contentLines, shownPath } from "./results.ts";
import { DEFAULT_GREP_RESULTS } from "./types.ts";

/** The maximum useful number of matching lines per file: one more than can be shown. */
export function hitsPerFile({ perFile, maxResults = DEFAULT_GREP_RESULTS }: GrepOptions): number {
  return (perFile ?? maxResults) + 1;
}

/** Keeps the files that come first in path order, until they hold more results than requested. */
export class FirstFiles {
  readonly #options: GrepOptions;
  readonly #max: number;
  readonly #countsLines: boolean;
  readonly #sorted: boolean;
  #files: GrepFile[] = [];
  #kept = 0;
  #dropped = false;
  /** Hits of all files seen, kept or not. */
  hits = 0;

  constructor(options: GrepOptions, sorted: boolean) {
    this.#options = options;
    this.#max = options.maxResults ?? DEFAULT_GREP_RESULTS;
    this.#countsLines = (options.mode ?? "content") === "content" && options.perFile === undefined;
    this.#sorted = sorted;
  }

  /** Nothing still to come can change the result. */
  get complete(): boolean {
    return this.#sorted && this.#kept > this.#max;
  }

  add(file: GrepFile): void {
    this.hits += file.hits;
    this.#files.push(file);
    this.#kept += this.#weight(file);
    if (this.#kept > 2 * this.#max + 1000) this.#drop();
  }

  result(root: string, base: string): GrepResult {
    const { mode = "content", before = 0, after = 0, perFile } = this.#options;
    const hasContext = before + after > 0;
    this.#files.sort((a, b) => byPath(a.path, b.path));
    const lines: string[] = [];
    const files: GrepFile[] = [];
    let left = this.#max;
    for (const file of this.#files) {
      if (left <= 0) return { lines, files, truncated: true };
      const path = shownPath(resolve(root, file.path), base);
      left -= this.#weight(file);
      if (mode !== "content") {
        lines.push(mode === "count" ? `${path}:${file.hits}` : path);
        files.push({ path, hits: mode === "count" ? file.hits : 1, lines: [] });
        continue;
      }
      const room = perFile ?? (left < 0 ? left + file.hits : file.hits);
      const shown = room < file.hits ? firstMatches(file.lines, room, after) : file.lines;
      if (hasContext && lines.length > 0) lines.push("--");
      lines.push(...contentLines(path, shown, hasContext));
      files.push({ path, hits: file.hits, lines: shown });
    }
    return { lines, files, truncated: left < 0 || this.#dropped };
  }

  #weight(file: GrepFile): number {
    return this.#countsLines ? file.hits : 1;
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
function firstMatches(lines: readonly GrepLine[], room: number, after: number): GrepLine[] {
  let left = room;
  let lastMatch = 0;
  const out: GrepLine[] = [];
  for (const line of lines) {
    if (line.isMatch && left-- === 0) break;
    if (line.isMatch) lastMatch = line.number;
    out.push(line);
  }
  // Context that belongs to the omitted match.
  return left < 0 ? out.filter((line) => line.number <= lastMatch + after) : out;
}
