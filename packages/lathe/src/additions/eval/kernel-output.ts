// The single pipe of a kernel: output of its programs, mixed with the kernel's own messages. A message comes in pieces,
// each after a mark that no program can know, so that output at the same moment cannot tear it apart.

import { isJsonObject, type JsonObject } from "@lathe/llm";

/** The limit of a message: a larger picture could not be shown anyway. */
const MOST_MESSAGE_BYTES = 64 << 20;
/** A kernel sends its messages in pieces of 4,000 bytes. */
const MOST_PIECE_BYTES = 64 << 10;
const END_OF_LINE = 10;
const LAST_PIECE = ".".charCodeAt(0);

export interface OutputReader {
  text(bytes: Buffer): void;
  message(message: JsonObject): void;
}

export class KernelOutput {
  readonly #mark: Buffer;
  readonly #reader: OutputReader;
  /** The possible beginning of a mark, or an incomplete piece. */
  #rest: Buffer = Buffer.alloc(0);
  #pieces: Buffer[] = [];
  #size = 0;

  constructor(token: string, reader: OutputReader) {
    this.#mark = Buffer.from(`\x1e${token}`);
    this.#reader = reader;
  }

  push(chunk: Uint8Array): void {
    let bytes = this.#rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const at = bytes.indexOf(this.#mark);
      const end = at === -1 ? -1 : bytes.indexOf(END_OF_LINE, at);
      const known = at === -1 ? bytes.length - this.#partialMarkLength(bytes) : at;
      if (known > 0) this.#reader.text(bytes.subarray(0, known));
      if (end === -1 && bytes.length - known > MOST_PIECE_BYTES) throw new Error("a message of the kernel has no end");
      if (at === -1 || end === -1) {
        this.#rest = Buffer.from(bytes.subarray(known));
        return;
      }
      this.#take(bytes.subarray(at + this.#mark.length, end));
      bytes = bytes.subarray(end + 1);
    }
  }

  /** The number of bytes at the end that may begin a mark. */
  #partialMarkLength(bytes: Buffer): number {
    const at = bytes.lastIndexOf(this.#mark[0] as number);
    const begun = at === -1 ? 0 : bytes.length - at;
    return begun > 0 && begun < this.#mark.length && this.#mark.subarray(0, begun).equals(bytes.subarray(at))
      ? begun
      : 0;
  }

  #take(piece: Buffer): void {
    this.#pieces.push(Buffer.from(piece.subarray(1)));
    this.#size += piece.length;
    if (this.#size > MOST_MESSAGE_BYTES) throw new Error("a message of the kernel is too large");
    if (piece[0] !== LAST_PIECE) return;
    const message: unknown = JSON.parse(Buffer.concat(this.#pieces).toString("utf8"));
    this.#pieces = [];
    this.#size = 0;
    if (isJsonObject(message)) this.#reader.message(message);
  }
}
