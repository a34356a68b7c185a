// Splits a byte stream into lines, at
// only, in bounded memory. A line that is too long is reported once and skipped; the lines after it are read as usual.

const MOST_LINE_BYTES = 64 << 20;

export type Line = { readonly text: string } | { readonly tooLong: number };

export class LineSplitter {
  readonly #most: number;
  #parts: Uint8Array[] = [];
  #bytes = 0;

  constructor(mostBytes = MOST_LINE_BYTES) {
    this.#most = mostBytes;
  }

  /** The lines that end in this chunk, without their line ends. */
  *feed(chunk: Uint8Array): IterableIterator<Line> {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      this.#keep(chunk.subarray(from, at));
      from = at + 1;
      yield this.#take();
    }
    this.#keep(chunk.subarray(from));
  }

  /** The text after the last line end. */
  *end(): IterableIterator<Line> {
    if (this.#bytes > 0) yield this.#take();
  }

  #keep(part: Uint8Array): void {
    this.#bytes += part.length;
    if (this.#bytes > this.#most) this.#parts = [];
    else if (part.length > 0) this.#parts.push(part);
  }

  #take(): Line {
    const bytes = this.#bytes;
    const parts = this.#parts;
    this.#parts = [];
    this.#bytes = 0;
    return bytes > this.#most ? { tooLong: bytes } : { text: Buffer.concat(parts).toString("utf8") };
  }
}

/** A stream that fails counts as ended, because its writer is gone. */
async function* untilBroken(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* stream;
  } catch {
    // What was read before the failure counts.
  }
}

export async function* linesOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Line, void, undefined> {
  const splitter = new LineSplitter();
  for await (const chunk of untilBroken(stream)) yield* splitter.feed(chunk);
  yield* splitter.end();
}
