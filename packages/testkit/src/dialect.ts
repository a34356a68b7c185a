// The interface of a dialect: how it recognizes and checks requests, and how it writes a resolved turn.

import type { StatusFaultOptions, StreamErrorKind } from "./faults.ts";
import type { RecordedRequest } from "./record.ts";
import type { DialectName } from "./routes.ts";
import type { ScriptedUsage, Stop, TextBlock, ThinkingBlock } from "./turn.ts";
import type { Framing, StreamPart } from "./wire.ts";

export interface ResolvedCall {
  readonly type: "call";
  readonly name: string;
  readonly args: unknown;
  readonly rawArgs: string;
  readonly id: string;
  /** False if the server made up the id; Gemini and Ollama omit those. */
  readonly ownId: boolean;
  readonly signature?: string;
}

export type ResolvedBlock = TextBlock | (ThinkingBlock & { readonly signature: string }) | ResolvedCall;

/** A turn with every default filled in. */
export interface ResolvedTurn {
  /** Number of the answer on this server, from 1; ids are derived from it. */
  readonly serial: number;
  readonly id?: string;
  readonly model: string;
  readonly blocks: readonly ResolvedBlock[];
  readonly stop: Stop;
  readonly rawStop?: string;
  readonly usage: ScriptedUsage | undefined;
  readonly deltaChars: number;
}

export interface HttpError {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export type ErrorDetails = StatusFaultOptions & Pick<Refusal, "param" | "reason">;

/** Why the vendor would refuse a request. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly code?: string;
  /** OpenAI's `error.param`. */
  readonly param?: string;
  /** `reason` of Google's `ErrorInfo` detail. */
  readonly reason?: string;
}

export interface ValidateOptions {
  /** Top-level fields to accept although the vendor does not know them. */
  readonly allowFields: readonly string[];
}

export interface Dialect {
  readonly name: DialectName;
  readonly defaultModel: string;
  framing(request: RecordedRequest): Framing;
  /** The key in the vendor's own header; undefined if the request has none. */
  credential(request: RecordedRequest): string | undefined;
  /** The vendor's answer to a missing (undefined) or wrong key. */
  denial(key: string | undefined): Refusal;
  validate(request: RecordedRequest, options: ValidateOptions): Refusal | undefined;
  complete(turn: ResolvedTurn, request: RecordedRequest): unknown;
  stream(turn: ResolvedTurn, request: RecordedRequest): StreamPart[];
  count(tokens: number, request: RecordedRequest): unknown;
  error(status: number, options: ErrorDetails, serial: number): HttpError;
  streamError(kind: StreamErrorKind, message: string | undefined): StreamPart;
  readonly ping?: StreamPart;
}

/** Splits a text into deltas without splitting surrogate pairs. */
export function deltas(value: string, size: number): string[] {
  if (value === "") return [];
  const parts: string[] = [];
  let start = 0;
  while (start < value.length) {
    let end = Math.min(start + size, value.length);
    const last = value.charCodeAt(end - 1);
    if (last >= 0xd800 && last <= 0xdbff && end < value.length) end++;
    parts.push(value.slice(start, end));
    start = end;
  }
  return parts;
}
