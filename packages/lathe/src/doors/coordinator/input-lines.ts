// Passes complete messages on to the server. An invalid line gets an answer at once; the transport would ignore it
// silently or end.

import { Transform, type TransformCallback } from "node:stream";
import { INVALID_REQUEST, PARSE_ERROR, parseJSONRPCMessage } from "@modelcontextprotocol/server";

const NEWLINE = 10;
const MIB = 1024 * 1024;
/** The transport's limit is one byte more and includes the line break. */
export const LONGEST_LINE = 10 * MIB - 1;

/** Answers an invalid line without an id, since the line's id is unknown. */
export type Answer = (error: { readonly code: number; readonly message: string }) => void;

export class InputLines extends Transform {
  readonly #answer: Answer;
  #parts: Buffer[] = [];
  #length = 0;

  constructor(answer: Answer) {
    super();
    this.#answer = answer;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let from = 0;
    for (;;) {
      const end = chunk.indexOf(NEWLINE, from);
      this.#take(chunk.subarray(from, end < 0 ? chunk.length : end));
      if (end < 0) break;
      this.#line();
      from = end + 1;
    }
    done();
  }

  /** Drops the bytes of a line that is too long and waits for its end. */
  #take(part: Buffer): void {
    this.#length += part.length;
    if (this.#length > LONGEST_LINE) this.#parts = [];
    else this.#parts.push(part);
  }

  #line(): void {
    const isTooLong = this.#length > LONGEST_LINE;
    const line = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#length = 0;
    if (isTooLong) {
      this.#answer({ code: INVALID_REQUEST, message: "The line is 10 MiB or longer. It was not read." });
      return;
    }
    const text = line.toString("utf8");
    if (text.trim() === "") return;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      this.#answer({ code: PARSE_ERROR, message: "The line is not JSON." });
      return;
    }
    try {
      parseJSONRPCMessage(value);
    } catch {
      this.#answer({ code: INVALID_REQUEST, message: "The line is not a message of JSON-RPC 2.0." });
      return;
    }
    this.push(Buffer.concat([line, Buffer.of(NEWLINE)]));
  }
}
