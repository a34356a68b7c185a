// AWS event stream frames: total length, header length, prelude CRC, headers, payload, message CRC; big endian.

import { StreamError } from "../types/errors.ts";
import type { Frame, Framer } from "../types/protocol.ts";
import { crc32 } from "./crc32.ts";

const PRELUDE = 12;
const MESSAGE_CRC = 4;
const STRING_HEADER = 7;
/** Byte length of header values by type; strings and byte arrays have their own length field. */
const FIXED_LENGTHS: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 };

export function awsFramer(onFrame: (frame: Frame) => void, maxBytes: number): Framer {
  let chunks: Uint8Array[] = [];
  let size = 0;
  /** Bytes needed for the next frame; chunks are joined only when enough have arrived. */
  let needed = PRELUDE;

  return {
    push(bytes) {
      chunks.push(bytes);
      size += bytes.length;
      if (size < needed) return;
      const buffer = join(chunks, size);
      let at = 0;
      needed = PRELUDE;
      while (buffer.length - at >= PRELUDE) {
        const length = frameLength(buffer, at, maxBytes);
        if (buffer.length - at < length) {
          needed = length;
          break;
        }
        onFrame(readFrame(buffer.subarray(at, at + length)));
        at += length;
      }
      const rest = buffer.subarray(at);
      chunks = rest.length === 0 ? [] : [rest];
      size = rest.length;
    },
    end() {
      if (size > 0) throw new StreamError("The stream ended inside a frame.");
    },
  };
}

function join(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const [only] = chunks;
  if (chunks.length === 1 && only !== undefined) return only;
  const buffer = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    buffer.set(chunk, at);
    at += chunk.length;
  }
  return buffer;
}

function frameLength(buffer: Uint8Array, at: number, maxBytes: number): number {
  const view = new DataView(buffer.buffer, buffer.byteOffset + at, PRELUDE);
  if (crc32(buffer.subarray(at, at + 8)) !== view.getUint32(8)) throw brokenFrame("prelude checksum");
  const total = view.getUint32(0);
  if (total < PRELUDE + MESSAGE_CRC + view.getUint32(4) || total > maxBytes) throw brokenFrame("length");
  return total;
}

function readFrame(frame: Uint8Array): Frame {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.length);
  const end = frame.length - MESSAGE_CRC;
  if (crc32(frame.subarray(0, end)) !== view.getUint32(end)) throw brokenFrame("message checksum");
  const headersEnd = PRELUDE + view.getUint32(4);
  const headers = readHeaders(frame, view, headersEnd);
  const data = new TextDecoder().decode(frame.subarray(headersEnd, end));
  const event = headers[":event-type"];
  const exception = headers[":exception-type"] ?? headers[":error-code"];
  return {
    data: data || JSON.stringify({ message: headers[":error-message"] ?? "" }),
    ...(event === undefined ? {} : { event }),
    ...(exception === undefined ? {} : { exception }),
  };
}

function readHeaders(frame: Uint8Array, view: DataView, end: number): Record<string, string> {
  const headers: Record<string, string> = {};
  let at = PRELUDE;
  while (at < end) {
    const nameEnd = at + 1 + (frame[at] ?? 0);
    const type = frame[nameEnd];
    if (type === undefined || nameEnd >= end) throw brokenFrame("header");
    const name = new TextDecoder().decode(frame.subarray(at + 1, nameEnd));
    at = nameEnd + 1;
    const fixed = FIXED_LENGTHS[type];
    if (fixed !== undefined) {
      at += fixed;
      continue;
    }
    if (at + 2 > end) throw brokenFrame("header");
    const length = view.getUint16(at);
    at += 2;
    if (at + length > end) throw brokenFrame("header");
    if (type === STRING_HEADER) headers[name] = new TextDecoder().decode(frame.subarray(at, at + length));
    at += length;
  }
  return headers;
}

function brokenFrame(what: string): StreamError {
  return new StreamError(`The stream contains a frame with a wrong ${what}.`);
}
