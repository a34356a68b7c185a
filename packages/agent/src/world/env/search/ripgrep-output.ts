// Parses ripgrep's output as it streams, file by file.

import { StringDecoder } from "node:string_decoder";
import type { GrepFile, GrepLine, GrepRange } from "../types.ts";
import { grepLine } from "./results.ts";
import { isWithin } from "./text-matches.ts";

/** Text that is not UTF-8 is encoded as base64. */
type RipgrepText = { readonly text: string } | { readonly bytes: string };

interface RipgrepMessage {
  readonly type: "begin" | "match" | "context" | "end" | "summary";
  readonly data: {
    readonly path: RipgrepText;
    readonly lines: RipgrepText;
    readonly line_number: number;
    readonly binary_offset: number | null;
    /** Offsets in bytes. */
    readonly submatches?: readonly { readonly start: number; readonly end: number }[];
  };
}

const LONGEST_RECORD = 8 << 20;
/** Enough to recognise the kind of a record. */
const RECORD_HEAD = 100;

/** `json`: messages; `count`: `path NUL count LF`; `files`: `path NUL`. */
type RipgrepFormat = "json" | "count" | "files";

/** Which part of the output the caller wants. */
export interface ParseOptions {
  readonly format: RipgrepFormat;
  readonly dropBinary: boolean;
  /** Maximum number of matching lines per file. */
  readonly perFile: number;
  readonly within?: readonly GrepRange[] | undefined;
  /** Number of context lines around a match. */
  readonly before: number;
  readonly after: number;
}

export class MatchParser {
  readonly #options: ParseOptions;
  readonly #emit: (file: GrepFile) => void;
  readonly #decoder = new StringDecoder("utf8");
  /** The current record, in pieces: a line of megabytes must not be searched again for each chunk. */
  #pieces: string[] = [];
  #length = 0;
  #lines: GrepLine[] = [];
  #hits = 0;

  constructor(options: ParseOptions, emit: (file: GrepFile) => void) {
    this.#options = options;
    this.#emit = emit;
  }

  push(chunk: Buffer): void {
    const parts = this.#decoder.write(chunk).split(this.#options.format === "files" ? "\0" : "\n");
    const rest = parts.pop()!;
    for (const part of parts) {
      this.#collect(part);
      const record = this.#pieces.join("");
      // The line break was part of a name.
      if (this.#options.format === "count" && !record.includes("\0")) {
        this.#collect("\n");
        continue;
      }
      if (this.#length > LONGEST_RECORD) this.#longLine(record);
      else this.#record(record);
      this.#pieces = [];
      this.#length = 0;
    }
    this.#collect(rest);
  }

  /** Keeps only the beginning and the end so far of a record that is too long. */
  #collect(part: string): void {
    this.#pieces.push(part);
    this.#length += part.length;
    const surplus = this.#pieces.length - 3;
    if (this.#length > LONGEST_RECORD && surplus > 0) {
      this.#pieces.splice(0, surplus + 1, this.#pieces.join("").slice(0, RECORD_HEAD));
    }
  }

  #record(record: string): void {
    if (this.#options.format === "json") this.#message(JSON.parse(record) as RipgrepMessage);
    else {
      const [path, count] = record.split("\0");
      this.#emit({ path: path!.slice(2), hits: Number(count ?? 1), lines: [] });
    }
  }

  /**
   * The line number comes after the text, before the offsets of the matches; if there are so many that it was cut off,
   * we assume line 1.
   */
  #longLine(ends: string): void {
    const isMatch = ends.startsWith('{"type":"match"');
    const number = Number(/[^\\]"line_number":(\d+),"absolute_offset":\d+/.exec(ends)?.[1] ?? 1);
    this.#add({ number, text: "[a line too long to show]", isMatch, isShortened: true });
  }

  #add(line: GrepLine): void {
    const { perFile, within } = this.#options;
    if (this.#hits >= perFile) return;
    const isMatch = line.isMatch && isWithin(line.number, within);
    if (isMatch) this.#hits++;
    this.#lines.push(line.isMatch === isMatch ? line : { ...line, isMatch });
  }

  /** Leaves out context of matches that are not wanted. */
  #shownLines(): GrepLine[] {
    const { within, before, after } = this.#options;
    if (!within) return this.#lines;
    const matches = this.#lines.filter(({ isMatch }) => isMatch);
    let next = 0;
    return this.#lines.filter(({ number }) => {
      while (next + 1 < matches.length && matches[next]!.number < number) next++;
      return [matches[next - 1], matches[next]].some(
        (match) => match && number >= match.number - before && number <= match.number + after,
      );
    });
  }

  #message({ type, data }: RipgrepMessage): void {
    if (type === "match" || type === "context") {
      let from = 0;
      const lines = decode(data.lines).replace(/\n$/, "").split("\n");
      // A match across line ends comes with all its lines.
      for (const [i, line] of lines.entries()) {
        const start = from;
        const firstMatch = () => firstIn(line, start, data.submatches ?? []);
        this.#add(grepLine(data.line_number + i, line.replace(/\r$/, ""), type === "match", firstMatch));
        if (lines.length > 1) from += Buffer.byteLength(line) + 1;
      }
    } else if (type === "end") {
      const binary = this.#options.dropBinary && data.binary_offset !== null;
      if (this.#hits > 0 && !binary)
        this.#emit({ path: decode(data.path).slice(2), hits: this.#hits, lines: this.#shownLines() });
      this.#lines = [];
      this.#hits = 0;
    }
  }
}

/** Position in the line of the first match; the line begins at byte `from` of the text that the offsets refer to. */
function firstIn(line: string, from: number, matches: readonly { readonly start: number; readonly end: number }[]) {
  const bytes = Buffer.from(line);
  const match = matches.find(({ start, end }) => start <= from + bytes.length && end > from);
  return match && bytes.subarray(0, Math.max(0, match.start - from)).toString().length;
}

function decode(value: RipgrepText): string {
  return "text" in value ? value.text : Buffer.from(value.bytes, "base64").toString("utf8");
}
