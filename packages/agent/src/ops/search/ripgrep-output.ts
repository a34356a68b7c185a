// Reads ripgrep's output as it streams and keeps the first results in path order, whatever order its threads print in.

import { resolve } from "node:path/posix";
import { StringDecoder } from "node:string_decoder";
import type { GrepResult } from "../../env/types.ts";
import { firstMatches } from "./builtin.ts";
import { byPath, contentLines, type MatchLine, shownPath } from "./results.ts";

export interface FoundFile {
  /** Relative to the searched directory. */
  readonly path: string;
  readonly hits: number;
  readonly lines: readonly MatchLine[];
}

/** Text that is not UTF-8 comes as base64. */
type RipgrepText = { readonly text: string } | { readonly bytes: string };

interface RipgrepMessage {
  readonly type: "begin" | "match" | "context" | "end" | "summary";
  readonly data: {
    readonly path: RipgrepText;
    readonly lines: RipgrepText;
    readonly line_number: number;
    readonly binary_offset: number | null;
  };
}

/** `json`: messages; `count`: `path NUL count LF`; `files`: `path NUL`. */
export type RipgrepFormat = "json" | "count" | "files";

export class MatchParser {
  readonly #format: RipgrepFormat;
  readonly #dropBinary: boolean;
  readonly #emit: (file: FoundFile) => void;
  readonly #decoder = new StringDecoder("utf8");
  #rest = "";
  #lines: MatchLine[] = [];
  #hits = 0;

  constructor(format: RipgrepFormat, dropBinary: boolean, emit: (file: FoundFile) => void) {
    this.#format = format;
    this.#dropBinary = dropBinary;
    this.#emit = emit;
  }

  push(chunk: Buffer): void {
    const records = (this.#rest + this.#decoder.write(chunk)).split(this.#format === "files" ? "\0" : "\n");
    this.#rest = records.pop()!;
    for (const record of records) {
      if (this.#format === "json") this.#message(JSON.parse(record) as RipgrepMessage);
      else {
        const [path, count] = record.split("\0");
        this.#emit({ path: path!.slice(2), hits: Number(count ?? 1), lines: [] });
      }
    }
  }

  #message({ type, data }: RipgrepMessage): void {
    if (type === "match" || type === "context") {
      const isMatch = type === "match";
      if (isMatch) this.#hits++;
      this.#lines.push({ number: data.line_number, text: decode(data.lines).replace(/\r?\n$/, ""), isMatch });
    } else if (type === "end") {
      const binary = this.#dropBinary && data.binary_offset !== null;
      if (this.#hits > 0 && !binary)
        this.#emit({ path: decode(data.path).slice(2), hits: this.#hits, lines: this.#lines });
      this.#lines = [];
      this.#hits = 0;
    }
  }
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

function decode(value: RipgrepText): string {
  return "text" in value ? value.text : Buffer.from(value.bytes, "base64").toString("utf8");
}
