// Gives an event to the handlers of all extensions, one after the other, in the order in which they were loaded.

import { messageOf } from "@lathe/llm";
import type { ExtensionEventName, ExtensionEventResults, ExtensionEvents } from "../../platform/extension-api/index.ts";
import { type ContextParts, contextFor } from "./context.ts";
import type { RunningExtension } from "./running.ts";

export interface DispatchParts {
  readonly extensions: () => readonly RunningExtension[];
  readonly contextOf: (extension: RunningExtension) => ContextParts;
  /** One line, said once. */
  readonly report: (line: string) => void;
}

type Answering = keyof ExtensionEventResults;

/** What a handler returned, and whose it was. */
export interface Given<Name extends Answering> {
  readonly from: RunningExtension;
  readonly result: ExtensionEventResults[Name];
}

export class Dispatch {
  readonly #parts: DispatchParts;

  constructor(parts: DispatchParts) {
    this.#parts = parts;
  }

  listens(name: ExtensionEventName): boolean {
    return this.#parts.extensions().some(({ added }) => added.handlers.has(name));
  }

  /** Handlers of an event that can only be told. */
  async tell<Name extends ExtensionEventName>(name: Name, data: ExtensionEvents[Name]): Promise<void> {
    for await (const _ of this.#results(name, () => data)) {
      // what they return means nothing here
    }
  }

  /** The results of all handlers as they come; the event is made anew for each, so that a handler sees what others changed. */
  async *answers<Name extends Answering>(
    name: Name,
    data: () => ExtensionEvents[Name],
    signal?: AbortSignal,
  ): AsyncGenerator<Given<Name>, void, undefined> {
    yield* this.#results(name, data, signal) as AsyncGenerator<Given<Name>, void, undefined>;
  }

  async *#results(
    name: ExtensionEventName,
    data: () => object,
    signal?: AbortSignal,
  ): AsyncGenerator<{ readonly from: RunningExtension; readonly result: unknown }, void, undefined> {
    for (const from of this.#parts.extensions()) {
      for (const handler of from.added.handlers.get(name) ?? []) {
        const event = { ...data(), type: name } as never;
        const context = this.#parts.contextOf(from);
        try {
          const result: unknown = await from.call(
            name,
            (patience) => handler(event, contextFor(context, patience)),
            signal,
          );
          if (typeof result === "object" && result !== null) yield { from, result };
        } catch (error) {
          if (signal?.aborted || FAILS_CLOSED.has(name)) throw error;
          this.#parts.report(messageOf(error));
        }
      }
    }
  }
}

/** A guard that breaks must not let through what it guards against. */
const FAILS_CLOSED: ReadonlySet<ExtensionEventName> = new Set(["tool_call"]);
