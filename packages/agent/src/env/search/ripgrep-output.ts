// Reads ripgrep's output as it streams, file by file.

import { StringDecoder } from "node:string_decoder";
import type { FoundFile } from "./first-files.ts";
import { isLong, type MatchLine } from "./results.ts";

/** Text that is not UTF-8 comes as base64. */
type RipgrepText = { readonly text: string } | { readonly bytes: string };

interface RipgrepMessage {
  readonly type: "begin" | "match" | "context" | "end" | "summary";
  readonly data: {
    readonly path: RipgrepText;
    readonly lines: RipgrepText;
    readonly line_number: number;
    readonly binary_offset: number | null;
    /** Offsets in bytes. */
    readonly submatches?: readonly { readonly start: number }[];
  };
}

const LONGEST_RECORD = 8 << 20;
/** Enough to tell what kind of record it is. */
const RECORD_HEAD = 100;

/** `json`: messages; `count`: `path NUL count LF`; `files`: `path NUL`. */
export type RipgrepFormat = "json" | "count" | "files";

export class MatchParser {
  readonly #format: RipgrepFormat;
  readonly #dropBinary: boolean;
  readonly #emit: (file: FoundFile) => void;
  readonly #decoder = new StringDecoder("utf8");
  /** The record that has begun, in pieces: a line of megabytes must not be searched again with each chunk. */
  #pieces: string[] = [];
  #length = 0;
  #lines: MatchLine[] = [];
  #hits = 0;

  constructor(format: RipgrepFormat, dropBinary: boolean, emit: (file: FoundFile) => void) {
    this.#format = format;
    this.#dropBinary = dropBinary;
    this.#emit = emit;
  }

  push(chunk: Buffer): void {
    const parts = this.#decoder.write(chunk).split(this.#format === "files" ? "\0" : "\n");
    const rest = parts.pop()!;
    for (const part of parts) {
      this.#collect(part);
      const record = this.#pieces.join("");
      // The line break was part of a name.
      if (this.#format === "count" && !record.includes("\0")) {
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

  /** Of a record that is too long only the beginning and the end so far are kept. */
  #collect(part: string): void {
    this.#pieces.push(part);
    this.#length += part.length;
    const surplus = this.#pieces.length - 3;
    if (this.#length > LONGEST_RECORD && surplus > 0) {
      this.#pieces.splice(0, surplus + 1, this.#pieces.join("").slice(0, RECORD_HEAD));
    }
  }

  #record(record: string): void {
    if (this.#format === "json") this.#message(JSON.parse(record) as RipgrepMessage);
    else {
      const [path, count] = record.split("\0");
      this.#emit({ path: path!.slice(2), hits: Number(count ?? 1), lines: [] });
    }
  }

  /** The line's number comes after its text, before the offsets of its matches; when these are many, it is taken for the first. */
  #longLine(ends: string): void {
    const isMatch = ends.startsWith('{"type":"match"');
    if (isMatch) this.#hits++;
    const number = Number(/[^\\]"line_number":(\d+),"absolute_offset":\d+/.exec(ends)?.[1] ?? 1);
    this.#lines.push({ number, text: "[a line too long to show]", isMatch });
  }

  #message({ type, data }: RipgrepMessage): void {
    if (type === "match" || type === "context") {
      const isMatch = type === "match";
      if (isMatch) this.#hits++;
      const text = decode(data.lines).replace(/\r?\n$/, "");
      const start = isLong(text) ? data.submatches?.[0]?.start : undefined;
      this.#lines.push({
        number: data.line_number,
        text,
        isMatch,
        ...(start === undefined ? {} : { at: Buffer.from(text).subarray(0, start).toString().length }),
      });
    } else if (type === "end") {
      const binary = this.#dropBinary && data.binary_offset !== null;
      if (this.#hits > 0 && !binary)
        this.#emit({ path: decode(data.path).slice(2), hits: this.#hits, lines: this.#lines });
      this.#lines = [];
      this.#hits = 0;
    }
  }
}

function decode(value: RipgrepText): string {
  return "text" in value ? value.text : Buffer.from(value.bytes, "base64").toString("utf8");
}
