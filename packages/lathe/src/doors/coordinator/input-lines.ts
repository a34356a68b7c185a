// What comes in, line by line: messages go on to the server; a line that is none is answered at once, where the transport would pass over
// it in silence or end.

import { Transform, type TransformCallback } from "node:stream";
import { INVALID_REQUEST, PARSE_ERROR, parseJSONRPCMessage } from "@modelcontextprotocol/server";

const NEWLINE = 10;
const MIB = 1024 * 1024;
/** The transport takes one byte more, with its newline. */
export const LONGEST_LINE = 10 * MIB - 1;

/** Who sent the line waits for an answer. Which one it was about cannot be said. */
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

  /** A line that is too long is not kept; only its end is waited for. */
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
