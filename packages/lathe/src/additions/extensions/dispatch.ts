// Passes an event to the handlers of all extensions, one after the other, in the order in which the extensions were
// loaded.

import { messageOf } from "@lathe/llm";
import type { ExtensionEventName, ExtensionEventResults, ExtensionEvents } from "../../platform/extension-api/index.ts";
import { type ContextParts, contextFor } from "./context.ts";
import type { RunningExtension } from "./running.ts";

export interface DispatchParts {
  readonly extensions: () => readonly RunningExtension[];
  readonly contextOf: (extension: RunningExtension) => ContextParts;
  /** Reports one line. A repeated line is shown once. */
  readonly report: (line: string) => void;
}

type Answering = keyof ExtensionEventResults;

/** What a handler returned, with its extension. */
export interface HandlerResult<Name extends Answering> {
  readonly from: RunningExtension;
  readonly result: ExtensionEventResults[Name];
  /** The event that the handler got. */
  readonly event: ExtensionEvents[Name];
}

export class Dispatch {
  readonly #parts: DispatchParts;

  constructor(parts: DispatchParts) {
    this.#parts = parts;
  }

  listens(name: ExtensionEventName, dialect?: RunningExtension["source"]["dialect"]): boolean {
    return this.#parts
      .extensions()
      .some(({ added, source }) => added.handlers.has(name) && (dialect ?? source.dialect) === source.dialect);
  }

  /** Passes on an event whose handlers return nothing. */
  async notify<Name extends ExtensionEventName>(name: Name, data: ExtensionEvents[Name]): Promise<void> {
    for await (const _ of this.#results(name, () => data)) {
      // results mean nothing here
    }
  }

  /**
   * Yields the results of all handlers as they come. The event is built anew for each handler, so that it sees what
   * others changed. If an event is split into several, an extension gets them one after the other.
   */
  async *answers<Name extends Answering>(
    name: Name,
    data: (to: RunningExtension) => ExtensionEvents[Name] | readonly ExtensionEvents[Name][],
    signal?: AbortSignal,
  ): AsyncGenerator<HandlerResult<Name>, void, undefined> {
    yield* this.#results(name, data, signal) as AsyncGenerator<HandlerResult<Name>, void, undefined>;
  }

  async *#results(
    name: ExtensionEventName,
    data: (to: RunningExtension) => object | readonly object[],
    signal?: AbortSignal,
  ): AsyncGenerator<HandlerResult<Answering>, void, undefined> {
    for (const from of this.#parts.extensions()) {
      for (const handler of from.added.handlers.get(name) ?? []) {
        for (const made of [data(from)].flat()) {
          const event = { ...made, type: name };
          const context = this.#parts.contextOf(from);
          try {
            const result: unknown = await from.call(
              name,
              (deadline) => handler(event as never, contextFor(context, deadline)),
              signal,
            );
            const isAnswer = typeof result === "object" && result !== null;
            // Handlers of pi change the event in place.
            if (isAnswer || from.source.dialect === "pi")
              yield { from, event: event as never, result: (isAnswer ? result : {}) as never };
          } catch (error) {
            if (signal?.aborted || FAILS_CLOSED.has(name)) throw error;
            this.#parts.report(messageOf(error));
          }
        }
      }
    }
  }
}

/** A guard that fails must not let through what it guards against. */
const FAILS_CLOSED: ReadonlySet<ExtensionEventName> = new Set(["tool_call"]);
