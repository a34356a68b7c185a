// Turns the events of a stream into bytes, and bytes into the writes a script asks for.

import { promisify } from "node:util";
import { constants, createGzip, gzip } from "node:zlib";
import { awsFrame } from "./aws-frames.ts";
import type { Chunking } from "./turn.ts";
import type { Framing, StreamPart } from "./wire.ts";

export const contentTypes: Readonly<Record<Framing, string>> = {
  sse: "text/event-stream; charset=utf-8",
  ndjson: "application/x-ndjson",
  aws: "application/vnd.amazon.eventstream",
  "json-array": "application/json; charset=UTF-8",
};

/** One event, without the separator between members of a JSON array. */
export function frame(part: StreamPart, framing: Framing, crlf: boolean): Buffer {
  const newline = crlf ? "\r\n" : "\n";
  const data = typeof part.data === "string" ? part.data : JSON.stringify(part.data);
  switch (framing) {
    case "sse": {
      const event = part.event === undefined ? "" : `event: ${part.event}${newline}`;
      return Buffer.from(`${event}data: ${data}${newline}${newline}`);
    }
    case "ndjson":
      return Buffer.from(data + newline);
    case "json-array":
      return Buffer.from(data);
    case "aws":
      return awsFrame(awsHeaders(part), Buffer.from(data));
  }
}

export function frames(parts: readonly StreamPart[], framing: Framing, crlf: boolean): Buffer[] {
  const framed = parts.map((part) => frame(part, framing, crlf));
  if (framing !== "json-array") return framed;
  const newline = crlf ? "\r\n" : "\n";
  const separated = framed.map((bytes, i) => Buffer.concat([Buffer.from(i === 0 ? "[" : `,${newline}`), bytes]));
  return [...separated, Buffer.from(framed.length === 0 ? "[]" : "]")];
}

function awsHeaders(part: StreamPart): Record<string, string> {
  const kind = part.exception === undefined ? "event" : "exception";
  return {
    [`:${kind}-type`]: part.exception ?? part.event ?? "chunk",
    ":content-type": "application/json",
    ":message-type": kind,
  };
}

/** Splits one write into the chunks a script asks for. */
export function rechunk(bytes: Buffer, chunking: Chunking): Buffer[] {
  if (chunking === "events" || chunking === "whole" || bytes.length === 0) return [bytes];
  const ends = splitPoints(bytes, chunking).filter((at) => at > 0 && at < bytes.length);
  return [...ends, bytes.length].map((end, i) => bytes.subarray(i === 0 ? 0 : ends[i - 1], end));
}

function splitPoints(bytes: Buffer, chunking: Exclude<Chunking, "events" | "whole">): readonly number[] {
  if (typeof chunking === "number") {
    return Array.from({ length: Math.ceil(bytes.length / chunking) }, (_, i) => i * chunking);
  }
  if (chunking !== "split-multibyte") return [...chunking].sort((a, b) => a - b);
  const continuation = (byte: number) => (byte & 0xc0) === 0x80;
  return [...bytes.keys()].filter((i) => continuation(bytes[i]!));
}

export const gzipWhole: (bytes: Uint8Array) => Promise<Buffer> = promisify(gzip);

/** Compresses event by event with a flush after each, as a streaming server does. */
export async function gzipEach(parts: readonly Buffer[]): Promise<Buffer[]> {
  const zip = createGzip();
  let pending: Buffer[] = [];
  zip.on("data", (bytes: Buffer) => pending.push(bytes));
  const take = () => {
    const bytes = Buffer.concat(pending);
    pending = [];
    return bytes;
  };
  const out: Buffer[] = [];
  for (const part of parts) {
    zip.write(part);
    await new Promise<void>((resolve) => zip.flush(constants.Z_SYNC_FLUSH, resolve));
    out.push(take());
  }
  await new Promise<void>((resolve) => zip.on("end", resolve).end());
  out.push(take());
  return out;
}
