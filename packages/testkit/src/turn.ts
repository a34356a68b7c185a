// A Turn is what the scripted model answers to one request, in a vendor-neutral form: every dialect can play it.
// Here are its types and the builders that tests use.

import type { Fault, StatusFaultOptions } from "./faults.ts";
import type { StreamPart } from "./wire.ts";

export interface TextBlock {
  readonly type: "text";
  readonly text: string;
  /** Gemini only: `thoughtSignature` of a text part. */
  readonly signature?: string;
}

export interface ThinkingBlock {
  readonly type: "thinking";
  readonly text: string;
  /** Default: a signature derived from the text, which the strict server checks on replay. `""` omits it. */
  readonly signature?: string;
  /** The vendor hides the text: `text` is sent as opaque data where the dialect has such a block. */
  readonly redacted?: boolean;
}

export interface CallBlock {
  readonly type: "call";
  readonly name: string;
  readonly args?: unknown;
  /** Argument text as it goes over the wire, valid JSON or not. Wins over `args`. */
  readonly rawArgs?: string;
  /** Default: a vendor-shaped id, unique per server; Gemini and Ollama then send none. */
  readonly id?: string;
  /** Gemini only: `thoughtSignature` of the call. `""` omits it. */
  readonly signature?: string;
}

export type Block = TextBlock | ThinkingBlock | CallBlock;

export type Stop = "stop" | "length" | "tool_calls" | "content_filter";

/** Numbers go into the vendor's own fields as they are; whether `input` includes cached tokens is the vendor's habit. */
export interface ScriptedUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly reasoning?: number;
}

/** A wait under the test's control: called with the index of the event that is about to be written. */
export type Wait = (eventIndex: number) => Promise<void> | void;

/**
 * How the bytes of a body are split into writes: one per event, one for all, every n bytes, at given offsets, or inside
 * every multi-byte character.
 */
export type Chunking = "events" | "whole" | "split-multibyte" | number | readonly number[];

export interface TurnOptions {
  /** Default: `tool_calls` when the turn holds a call, else `stop`. */
  readonly stop?: Stop;
  /** The vendor's literal stop word, unchecked. */
  readonly rawStop?: string;
  /** Default: a quarter of the characters sent and received. `false`: the vendor sends no usage. */
  readonly usage?: ScriptedUsage | false;
  readonly id?: string;
  readonly model?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Characters per streamed delta; default 16. */
  readonly deltaChars?: number;
  readonly chunk?: Chunking;
  readonly crlf?: boolean;
  readonly gzip?: boolean;
  /** Keep-alive noise (`ping` events, comments) before every event. */
  readonly pings?: boolean;
  /** Awaited before the status line is sent. */
  readonly before?: Wait;
  /** Awaited before each event of a stream. */
  readonly beforeEvent?: Wait;
  /** Real milliseconds before each event, for demonstrations and benchmarks. */
  readonly delayMs?: number;
  /** Changes the vendor's events before they are framed: drop one, rename an id, add a field. */
  readonly edit?: (parts: StreamPart[]) => readonly StreamPart[];
  readonly fault?: Fault;
}

export interface ModelTurn extends TurnOptions {
  readonly kind: "model";
  readonly blocks: readonly Block[];
}

/** Exact bytes instead of a rendered answer. */
export interface RawTurn {
  readonly kind: "raw";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly chunks: readonly (string | Uint8Array)[];
  readonly before?: Wait;
  /** Awaited before each chunk. */
  readonly beforeEvent?: Wait;
  readonly after: "end" | "reset" | "hang";
}

export type Turn = ModelTurn | RawTurn;

export interface CallSpec {
  readonly name: string;
  readonly args?: unknown;
  readonly rawArgs?: string;
  readonly id?: string;
  readonly signature?: string;
}

export const text = (value: string, signature?: string): TextBlock =>
  signature === undefined ? { type: "text", text: value } : { type: "text", text: value, signature };

export const thinking = (value: string, signature?: string): ThinkingBlock =>
  signature === undefined ? { type: "thinking", text: value } : { type: "thinking", text: value, signature };

export const redactedThinking = (data: string): ThinkingBlock => ({ type: "thinking", text: data, redacted: true });

export const call = (spec: CallSpec): CallBlock => ({ type: "call", ...spec });

export const turn = {
  text(value: string, options: TurnOptions = {}): ModelTurn {
    return { kind: "model", blocks: [text(value)], ...options };
  },
  /** One response with all the calls, in parallel. */
  calls(specs: readonly CallSpec[], options: TurnOptions = {}): ModelTurn {
    return { kind: "model", blocks: specs.map(call), ...options };
  },
  blocks(blocks: readonly Block[], options: TurnOptions = {}): ModelTurn {
    return { kind: "model", blocks, ...options };
  },
  /** An HTTP error with the vendor's own body. */
  error(status: number, options: StatusFaultOptions = {}): ModelTurn {
    return { kind: "model", blocks: [], fault: { kind: "status", status, ...options } };
  },
  /** The same answer as `turn.text`, with a fault. */
  withFault(fault: Fault, base: ModelTurn = turn.text("a text that will not arrive whole")): ModelTurn {
    return { ...base, fault };
  },
  raw(spec: Partial<Omit<RawTurn, "kind">>): RawTurn {
    return { kind: "raw", status: 200, headers: {}, chunks: [], after: "end", ...spec };
  },
};

export interface Gate {
  readonly wait: () => Promise<void>;
  open(): void;
  /** Resolves when a request first waits at the gate. */
  readonly reached: Promise<void>;
}

/** A gate at which a scripted delay waits until the test opens it. */
export function gate(): Gate {
  let open = () => {};
  let arrive = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const reached = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  return {
    reached,
    open: () => open(),
    wait: () => {
      arrive();
      return opened;
    },
  };
}
