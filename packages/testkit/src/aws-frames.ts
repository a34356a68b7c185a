// AWS event stream framing: length-prefixed binary messages with typed headers and two CRC-32 checksums.

import { crc32 } from "node:zlib";

const STRING_HEADER = 7;

/** One message with string headers only, which is all that Bedrock uses. */
export function awsFrame(headers: Readonly<Record<string, string>>, payload: Uint8Array): Buffer {
  const encoded = Buffer.concat(Object.entries(headers).map(([name, value]) => awsHeader(name, value)));
  const total = 12 + encoded.length + payload.length + 4;
  const frame = Buffer.alloc(total);
  frame.writeUInt32BE(total, 0);
  frame.writeUInt32BE(encoded.length, 4);
  frame.writeUInt32BE(crc32(frame.subarray(0, 8)), 8);
  encoded.copy(frame, 12);
  frame.set(payload, 12 + encoded.length);
  frame.writeUInt32BE(crc32(frame.subarray(0, total - 4)), total - 4);
  return frame;
}

function awsHeader(name: string, value: string): Buffer {
  const nameBytes = Buffer.from(name);
  const valueBytes = Buffer.from(value);
  const head = Buffer.alloc(1 + nameBytes.length + 3);
  head.writeUInt8(nameBytes.length, 0);
  nameBytes.copy(head, 1);
  head.writeUInt8(STRING_HEADER, 1 + nameBytes.length);
  head.writeUInt16BE(valueBytes.length, 2 + nameBytes.length);
  return Buffer.concat([head, valueBytes]);
}
