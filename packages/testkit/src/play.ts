// Plays a turn on an open HTTP exchange: head, writes, waits and faults.

import type { ServerResponse } from "node:http";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import type { Dialect, HttpError, ResolvedTurn } from "./dialect.ts";
import type { CutPoint, Fault } from "./faults.ts";
import { contentTypes, frame, frames, gzipEach, gzipWhole, rechunk } from "./framing.ts";
import type { RecordedRequest } from "./record.ts";
import type { ModelTurn, RawTurn, Wait } from "./turn.ts";
import type { Framing, StreamPart } from "./wire.ts";

export interface Exchange {
  readonly request: RecordedRequest;
  readonly response: ServerResponse;
  readonly dialect: Dialect;
  readonly serial: number;
  readonly headers: Readonly<Record<string, string>>;
}

export async function playRaw(
  turn: RawTurn,
  { request, response }: Pick<Exchange, "request" | "response">,
): Promise<void> {
  await turn.before?.(0);
  response.writeHead(turn.status, turn.headers);
  response.flushHeaders();
  for (const [i, chunk] of turn.chunks.entries()) {
    await turn.beforeEvent?.(i);
    if (!(await write(response, Buffer.from(chunk as string)))) return;
  }
  if (turn.after === "end") response.end();
  else if (turn.after === "reset") reset(request, response);
  else await waitForClose(response);
}

export async function playTurn(turn: ModelTurn, resolved: ResolvedTurn, exchange: Exchange): Promise<void> {
  const { response, dialect, request } = exchange;
  await turn.before?.(0);
  const fault = turn.fault;
  if (fault?.kind === "status") {
    sendError(dialect.error(fault.status, fault, exchange.serial), exchange, fault.body);
    return;
  }
  if (fault?.kind === "cut" && fault.at === "before-head") {
    reset(request, response);
    return;
  }
  if (request.stream) await playStream(turn, resolved, exchange);
  else await playBody(turn, dialect.complete(resolved, request), exchange);
}

export function sendError(error: HttpError, exchange: Exchange, body?: string): void {
  const json = body === undefined;
  const bytes = Buffer.from(body ?? JSON.stringify(error.body));
  exchange.response.writeHead(error.status, {
    "content-type": json ? "application/json" : "text/html",
    "content-length": bytes.length,
    ...exchange.headers,
    ...error.headers,
  });
  exchange.response.end(bytes);
}

async function playBody(turn: ModelTurn, body: unknown, exchange: Exchange): Promise<void> {
  const plain = Buffer.from(JSON.stringify(body));
  const bytes = turn.gzip ? await gzipWhole(plain) : plain;
  const extra = turn.fault?.kind === "wrong-length" ? turn.fault.by : 0;
  exchange.response.strictContentLength = false;
  exchange.response.writeHead(200, {
    "content-type": "application/json",
    "content-length": bytes.length + extra,
    ...(turn.gzip ? { "content-encoding": "gzip" } : {}),
    ...exchange.headers,
    ...turn.headers,
  });
  if (turn.fault) exchange.response.flushHeaders();
  await writeAll(turn, [bytes], exchange);
}

async function playStream(turn: ModelTurn, resolved: ResolvedTurn, exchange: Exchange): Promise<void> {
  const { response, dialect, request } = exchange;
  const framing = dialect.framing(request);
  const rendered = dialect.stream(resolved, request);
  const parts = withFaults(turn.edit?.(rendered) ?? rendered, turn, dialect);
  const plain = insertGarbage(frames(parts, framing, turn.crlf ?? false), turn.fault, framing);
  const bytes = turn.gzip ? await gzipEach(plain) : plain;
  const length = bytes.reduce((sum, item) => sum + item.length, 0);
  response.strictContentLength = false;
  response.writeHead(200, {
    "content-type": contentTypes[framing],
    "cache-control": "no-cache",
    ...(turn.fault?.kind === "wrong-length" ? { "content-length": length + turn.fault.by } : {}),
    ...(turn.gzip ? { "content-encoding": "gzip" } : {}),
    ...exchange.headers,
    ...turn.headers,
  });
  response.flushHeaders();
  if (turn.fault?.kind !== "endless") {
    await writeAll(turn, bytes, exchange);
    return;
  }
  const end = parts.findIndex((part) => part.repeatable);
  if (end < 0) throw new Error("an endless stream needs a text block to repeat");
  for (const item of bytes.slice(0, end + 1)) await write(response, item);
  const again = frame(parts[end]!, framing, turn.crlf ?? false);
  const separated = framing === "json-array" ? Buffer.concat([Buffer.from(",\n"), again]) : again;
  // Yield to the event loop in between: otherwise a reader in this process would start with megabytes.
  while (await write(response, separated)) await (turn.beforeEvent?.(end + 1) ?? setImmediate());
}

/** Faults that only change the list of events. */
function withFaults(parts: readonly StreamPart[], turn: ModelTurn, dialect: Dialect): readonly StreamPart[] {
  const noisy = turn.pings && dialect.ping ? parts.flatMap((part) => [dialect.ping!, part]) : parts;
  const fault = turn.fault;
  switch (fault?.kind) {
    case "duplicate-terminal":
      return [...noisy, ...noisy.filter((part) => part.terminal)];
    case "missing-terminal":
      return noisy.filter((part) => !part.terminal);
    case "stream-error":
      return [
        ...noisy.slice(0, fault.afterEvents ?? 2),
        dialect.streamError(fault.error ?? "overloaded", fault.message),
      ];
    default:
      return noisy;
  }
}

function insertGarbage(bytes: Buffer[], fault: Fault | undefined, framing: Framing): Buffer[] {
  if (fault?.kind !== "malformed") return bytes;
  const at = fault.beforeEvent ?? 1;
  const text = Buffer.from(fault.line ?? 'data: {"type": "broken", "delta": {"te\n\n');
  return bytes.toSpliced(at, 0, framing === "aws" ? flipBit(bytes[at]!) : text);
}

/** A binary frame with one wrong bit: its checksum no longer fits. */
function flipBit(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  const at = copy.length - 6;
  copy[at] = copy[at]! ^ 1;
  return copy;
}

async function writeAll(turn: ModelTurn, events: readonly Buffer[], exchange: Exchange): Promise<void> {
  const { request, response } = exchange;
  const fault = turn.fault;
  const limit = fault?.kind === "cut" ? cutOffset(fault.at, events) : Number.POSITIVE_INFINITY;
  const writes = countsEvents(turn) ? events : [Buffer.concat(events)];
  let sent = 0;
  for (const [i, event] of writes.entries()) {
    if (fault?.kind === "stall" && i === fault.afterEvents) return waitForClose(response);
    await pause(turn.beforeEvent, turn.delayMs, i);
    for (const chunk of rechunk(event, turn.chunk ?? "events")) {
      const part = chunk.subarray(0, Math.max(0, limit - sent));
      if (part.length > 0 && !(await write(response, part))) return;
      sent += part.length;
      if (sent >= limit) return reset(request, response);
    }
  }
  if (fault?.kind === "stall") return waitForClose(response);
  if (fault?.kind === "cut") return reset(request, response);
  response.end();
  if (fault?.kind === "wrong-length" && fault.by > 0) reset(request, response);
}

/**
 * Whether to keep the writes of events apart, because of waits or stalls between them; otherwise a chunk may span
 * several events.
 */
function countsEvents({ chunk = "events", fault, beforeEvent, delayMs }: ModelTurn): boolean {
  return chunk === "events" || fault?.kind === "stall" || beforeEvent !== undefined || delayMs !== undefined;
}

async function pause(before: Wait | undefined, delayMs: number | undefined, index: number): Promise<void> {
  if (before) await before(index);
  if (delayMs) await sleep(delayMs);
}

function cutOffset(at: CutPoint, events: readonly Buffer[]): number {
  if (at === "before-head" || at === "after-head") return 0;
  if (at === "after-first-byte") return 1;
  const upTo = (count: number) => events.slice(0, count).reduce((sum, event) => sum + event.length, 0);
  if (at !== "inside-json") return "bytes" in at ? at.bytes : upTo(at.events);
  const middle = Math.floor(events.length / 2);
  return upTo(middle) + Math.floor((events[middle]?.length ?? 2) / 2);
}

/** Returns false if the client is gone. Waits only for a full buffer, so that small chunks cost little. */
async function write(response: ServerResponse, bytes: Uint8Array): Promise<boolean> {
  if (response.destroyed) return false;
  if (!response.write(bytes)) await waitForDrain(response);
  return !response.destroyed;
}

function waitForDrain(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      response.off("drain", finish).off("close", finish);
      resolve();
    };
    response.on("drain", finish).on("close", finish);
  });
}

function waitForClose(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (response.closed) resolve();
    else response.once("close", () => resolve());
  });
}

/**
 * Ends the connection early. Before the first byte of the body, this is a TCP reset; later a plain close without the
 * end of the message, since a reset may discard bytes that the client has not read yet.
 */
function reset(request: RecordedRequest, response: ServerResponse): void {
  request.cutByServer = true;
  if (response.headersSent) response.socket?.destroySoon();
  else response.socket?.resetAndDestroy();
}
