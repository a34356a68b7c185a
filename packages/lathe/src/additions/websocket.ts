// A WebSocket connection over an open byte stream. Node's inspector and browsers use the protocol, and their port may
// be on another machine.

import { createHash, randomBytes } from "node:crypto";
import type { Duplex } from "node:stream";

const LARGEST_MESSAGE = 64 * 1024 * 1024;
const LONGEST_HEADER = 8192;
const MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const [CONTINUATION, TEXT, CLOSE, PING, PONG] = [0, 1, 8, 9, 10];

/** Fails and destroys the stream if the other side does not speak the protocol. */
export class WebSocketStream {
  readonly #stream: Duplex;
  readonly #messages: AsyncGenerator<string>;

  private constructor(stream: Duplex, messages: AsyncGenerator<string>) {
    this.#stream = stream;
    this.#messages = messages;
  }

  static async open(stream: Duplex, path: string, host: string): Promise<WebSocketStream> {
    const key = randomBytes(16).toString("base64");
    const accept = createHash("sha1").update(`${key}${MAGIC}`).digest("base64");
    stream.write(
      `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
        `Sec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\n\r\n`,
    );
    const input = new ByteReader(stream);
    const header = await input.until("\r\n\r\n", LONGEST_HEADER);
    if (!/^HTTP\/1\.1 101 /.test(header) || !header.includes(accept)) {
      stream.destroy();
      throw new Error(`it refused the connection: ${header.split("\r\n")[0]}`);
    }
    return new WebSocketStream(stream, readMessages(input, stream));
  }

  /** Text messages until the other side closes. */
  get messages(): AsyncIterable<string> {
    return this.#messages;
  }

  send(text: string): void {
    writeFrame(this.#stream, TEXT, Buffer.from(text));
  }

  close(): void {
    if (!this.#stream.destroyed) writeFrame(this.#stream, CLOSE, Buffer.alloc(0));
    this.#stream.end();
  }
}

async function* readMessages(input: ByteReader, stream: Duplex): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  for (;;) {
    const start = await input.take(2);
    if (start === undefined) return;
    const opcode = start[0]! & 0x0f;
    const short = start[1]! & 0x7f;
    const long = short < 126 ? undefined : await input.take(short === 126 ? 2 : 8);
    const length =
      short < 126 ? short : short === 126 ? (long?.readUInt16BE() ?? 0) : Number(long?.readBigUInt64BE() ?? 0n);
    if (length + sizeOf(parts) > LARGEST_MESSAGE) throw new Error(`it sent a message of ${length} bytes`);
    const payload = await input.take(length);
    if (payload === undefined || opcode === CLOSE) return;
    if (opcode === PING) writeFrame(stream, PONG, payload);
    if (opcode !== TEXT && opcode !== CONTINUATION) continue;
    parts.push(payload);
    if ((start[0]! & 0x80) === 0) continue;
    yield Buffer.concat(parts).toString("utf8");
    parts = [];
  }
}

const sizeOf = (parts: readonly Buffer[]): number => parts.reduce((sum, { length }) => sum + length, 0);

/** Clients must mask their frames. */
function writeFrame(stream: Duplex, opcode: number, payload: Buffer): void {
  const { length } = payload;
  const header = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  header[0] = 0x80 | opcode;
  header[1] = 0x80 | (length < 126 ? length : length < 65_536 ? 126 : 127);
  if (header.length === 4) header.writeUInt16BE(length, 2);
  if (header.length === 10) header.writeBigUInt64BE(BigInt(length), 2);
  const mask = randomBytes(4);
  const masked = Buffer.from(payload.map((byte, at) => byte ^ mask[at & 3]!));
  stream.write(Buffer.concat([header, mask, masked]));
}

/** Reads exact numbers of bytes from a stream. */
class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #held: Buffer = Buffer.alloc(0);

  constructor(stream: Duplex) {
    this.#chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  /** Undefined if the stream ends first. */
  async take(length: number): Promise<Buffer | undefined> {
    const chunks = [this.#held];
    for (let held = this.#held.length; held < length; ) {
      const next = await this.#chunks.next();
      if (next.done === true) return undefined;
      chunks.push(next.value);
      held += next.value.length;
    }
    const all = chunks.length === 1 ? this.#held : Buffer.concat(chunks);
    this.#held = all.subarray(length);
    return all.subarray(0, length);
  }

  async until(end: string, most: number): Promise<string> {
    let at = this.#held.indexOf(end);
    while (at < 0 && this.#held.length < most) {
      const next = await this.#chunks.next();
      if (next.done === true) break;
      this.#held = Buffer.concat([this.#held, next.value]);
      at = this.#held.indexOf(end);
    }
    const text = this.#held.toString("latin1", 0, at < 0 ? most : at);
    this.#held = at < 0 ? Buffer.alloc(0) : this.#held.subarray(at + end.length);
    return text;
  }
}
