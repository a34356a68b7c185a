// What a recorded run got from outside, as JSON lines in `<folder>/run.jsonl`. Values (clock, randomness, ids) are
// returned in the order in which they were requested; completions (bytes, timers, tool results, inputs) are let through
// in the order in which they arrived.

import type { ClientDeps, JsonObject, JsonValue } from "@lathe/llm";
import type { SessionOptions } from "../types.ts";

/** Records a session (`Recorder`) or replays a recorded one (`Replayer`). Everything from outside passes through it. */
export interface SessionTape
  extends Required<Pick<SessionOptions, "aroundExecute" | "aroundAccess">>,
    Pick<SessionOptions, "aroundNested"> {
  deps(base: ClientDeps): ClientDeps;
  /**
   * When recording: runs the work and returns its result. When replaying: returns the recorded result without running
   * the work.
   */
  takeOutcome<T>(work: () => Promise<T>): Promise<T>;
}

/** A request of the run. */
export interface RequestLine {
  readonly t: "request";
  readonly n: number;
  /** Digest of the whole body. */
  readonly body: string;
  /** Where it went, without its query, which may hold a key. Absent in recordings of earlier versions. */
  readonly url?: string;
  /** Digests of the body's fields, for the first request only: a session with other options already differs there. */
  readonly fields?: Readonly<Record<string, string>>;
}

export type LogLine =
  | { readonly t: "now"; readonly v: number }
  | { readonly t: "random"; readonly v: number }
  | { readonly t: "uuid"; readonly v: string }
  | { readonly t: "input"; readonly verb: InputVerb; readonly content?: JsonValue; readonly outputSchema?: JsonValue }
  | RequestLine
  | { readonly t: "timer" | "wait"; readonly n: number }
  | { readonly t: "taken"; readonly n: number; readonly value: JsonValue }
  | { readonly t: "no_response"; readonly n: number; readonly error: string }
  | { readonly t: "response"; readonly n: number; readonly status: number; readonly headers: JsonObject }
  | { readonly t: "chunk"; readonly n: number; readonly base64: string }
  | { readonly t: "body_end"; readonly n: number; readonly error?: string }
  | (CallLine & { readonly t: "access"; readonly access: JsonValue })
  | (CallLine & { readonly t: "access_error"; readonly name: string; readonly message: string })
  /** `n` counts the calls that a call makes. */
  | (CallLine & { readonly t: "nested"; readonly n: number; readonly name: string; readonly arguments: JsonObject })
  | (CallLine & { readonly t: "tool"; readonly result: JsonValue })
  | (CallLine & { readonly t: "tool_error"; readonly name: string; readonly message: string });

/** Calls of several agents may have the same id; the order in which they were made tells them apart. */
export interface CallLine {
  readonly callId: string;
  /** How many calls of this id came before; absent for the first. */
  readonly before?: number;
}

/** Gives every call of a run its name. */
export class CallCount {
  readonly #made = new Map<string, number>();

  next(what: "access" | "tool", callId: string): CallLine {
    const key = `${what} ${callId}`;
    const before = this.#made.get(key) ?? 0;
    this.#made.set(key, before + 1);
    return before === 0 ? { callId } : { callId, before };
  }
}

export const nestedKey = (outer: CallLine, n: number): string => `nested ${n} ${callKey("tool", outer)}`;

export const callKey = (what: "access" | "tool", { callId, before = 0 }: CallLine): string =>
  `${what} ${callId}${before === 0 ? "" : ` ${before}`}`;

/** What a host told a recorded session to do. */
export type InputVerb = "submit" | "steer" | "followUp" | "interrupt" | "continue";

export const LOG_NAME = "run.jsonl";

/** Bytes inside results (images) are kept as tagged base64. */
export function toJson(value: unknown): JsonValue {
  // A Buffer has become a list of numbers before it gets here; the object that holds it still has the bytes.
  function tagValue(this: Readonly<Record<string, unknown>>, key: string, inner: unknown): unknown {
    const bytes = this[key];
    return bytes instanceof Uint8Array ? { $bytes: Buffer.from(bytes).toString("base64") } : inner;
  }
  return JSON.parse(JSON.stringify(value, tagValue) ?? "null") as JsonValue;
}

export function fromJson(value: JsonValue): unknown {
  return JSON.parse(JSON.stringify(value), (_key, inner: unknown) =>
    typeof inner === "object" && inner !== null && "$bytes" in inner
      ? new Uint8Array(Buffer.from(String(inner.$bytes), "base64"))
      : inner,
  );
}
