// Reads ripgrep's output as it streams, file by file.

import { StringDecoder } from "node:string_decoder";
import type { FoundFile } from "./first-files.ts";
import type { MatchLine } from "./results.ts";

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

function decode(value: RipgrepText): string {
  return "text" in value ? value.text : Buffer.from(value.bytes, "base64").toString("utf8");
}
