// Messages with a Content-Length header, as language servers exchange them. The announced length is checked before
// anything is stored.

const SEPARATOR = Buffer.from("\r\n\r\n");
const LONGEST_HEADER = 8192;
const LONGEST_SAID = 80;
const LARGEST_MESSAGE = 64 * 1024 * 1024;

/** The program violates the protocol, so nothing after it can be read. */
export class FrameError extends Error {}

/** The program speaks another protocol. */
export class OtherProtocol extends FrameError {
  /** The beginning of what it sent. */
  readonly said: string;
  constructor(said: string) {
    super(`it sent something that is not a message: ${said}`);
    this.said = said;
  }
}

export function encodeFrame(message: object): Buffer {
  const body = Buffer.from(JSON.stringify(message));
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
}

/** Assembles messages from the bytes of a stream. */
export class FrameReader {
  readonly #chunks: Buffer[] = [];
  #held = 0;
  /** Length of the body to come; undefined while reading the header. */
  #awaited: number | undefined;

  /** Yields the messages that these bytes complete. */
  *push(bytes: Uint8Array): Generator<unknown> {
    this.#chunks.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    this.#held += bytes.byteLength;
    for (;;) {
      if (this.#awaited === undefined && !this.#readHeader()) return;
      if (this.#held < this.#awaited!) return;
      const body = this.#take(this.#awaited!);
      this.#awaited = undefined;
      yield parseBody(body);
    }
  }

  #readHeader(): boolean {
    const held = this.#joinChunks();
    const end = held.indexOf(SEPARATOR);
    if (end < 0 && held.length <= LONGEST_HEADER) return false;
    const header = held.toString("latin1", 0, end < 0 || end > LONGEST_HEADER ? LONGEST_HEADER : end);
    const [, length] = /^content-length:[ \t]*(\d{1,12})[ \t]*$/im.exec(header) ?? [];
    if (end < 0 || length === undefined)
      throw new OtherProtocol(header.replace(/[^ -~][\s\S]*/, "").slice(0, LONGEST_SAID));
    if (Number(length) > LARGEST_MESSAGE)
      throw new FrameError(`it announced a message of ${length} bytes; the most is ${LARGEST_MESSAGE}`);
    this.#take(end + SEPARATOR.length);
    this.#awaited = Number(length);
    return true;
  }

  #joinChunks(): Buffer {
    if (this.#chunks.length !== 1) this.#chunks.splice(0, this.#chunks.length, Buffer.concat(this.#chunks));
    return this.#chunks[0]!;
  }

  #take(length: number): Buffer {
    const held = this.#joinChunks();
    this.#chunks.splice(0, 1, held.subarray(length));
    this.#held -= length;
    return held.subarray(0, length);
  }
}

function parseBody(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    throw new FrameError("it sent a message that is not JSON");
  }
}
