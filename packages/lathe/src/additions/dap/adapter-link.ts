// What the engine needs of a debug adapter, whether it is a program that speaks the protocol or our own for Node's inspector.

import type { JsonObject } from "@lathe/llm";

/** What an adapter tells and asks on its own. */
export interface AdapterHandlers {
  event(name: string, body: JsonObject): void;
  /** What it returns is the answer; what it throws is what the adapter reads as an error. */
  request(command: string, args: JsonObject): Promise<JsonObject>;
  /** What the program or the adapter prints outside the protocol. */
  output(text: string): void;
}

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

/** A running adapter. Failures are ToolFailures that name it. */
export interface AdapterLink {
  request(command: string, args?: object, options?: RequestOptions): Promise<JsonObject>;
  /** Resolves with the reason when nothing can be asked any more. */
  readonly ended: Promise<string>;
  /** Ends the adapter and everything that it started. */
  stop(): Promise<void>;
}
