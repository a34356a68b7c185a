// The engine's view of a debug adapter, whether it is a program that speaks the protocol or our own for Node's
// inspector.

import type { JsonObject } from "@lathe/llm";

/** Handlers for what an adapter sends by itself. */
export interface AdapterHandlers {
  event(name: string, body: JsonObject): void;
  /** Returns the answer; the adapter gets an exception as an error. */
  request(command: string, args: JsonObject): Promise<JsonObject>;
  /** Output of the program or the adapter outside the protocol. */
  output(text: string): void;
}

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

/** A running adapter. Failures are ToolFailures that name the adapter. */
export interface AdapterLink {
  request(command: string, args?: object, options?: RequestOptions): Promise<JsonObject>;
  /** Resolves with the reason when the adapter no longer takes requests. */
  readonly ended: Promise<string>;
  /** Ends the adapter and everything that it started. */
  stop(): Promise<void>;
}
