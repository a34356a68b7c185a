// A program's listeners to one session. One that fails does not cost the others an event. The session is warned once,
// because the warning is an event too and would fail again.

import type { SessionEvent } from "@lathe/agent";
import { messageOf } from "@lathe/llm";
import type { WireEvent } from "../wire/events.ts";
import { toWireEvents } from "../wire/map-events.ts";

/** An asynchronous listener may fail later. */
type Listener = (event: WireEvent) => unknown;

export class Listeners {
  readonly #all = new Set<Listener>();
  readonly #failed = new WeakSet<Listener>();

  /** Returns a function that removes it. */
  add(listener: Listener): () => void {
    if (typeof listener !== "function") throw new TypeError("subscribe needs a function that takes events.");
    this.#all.add(listener);
    return () => void this.#all.delete(listener);
  }

  async follow(events: AsyncIterable<SessionEvent>, warn: (text: string) => void): Promise<void> {
    const map = toWireEvents();
    for await (const event of events)
      for (const wire of map(event)) for (const listener of [...this.#all]) this.#tell(listener, wire, warn);
  }

  #tell(listener: Listener, event: WireEvent, warn: (text: string) => void): void {
    const fail = (error: unknown): void => {
      if (this.#failed.has(listener)) return;
      this.#failed.add(listener);
      warn(`A listener of the program failed: ${messageOf(error)}`);
    };
    try {
      Promise.resolve(listener(event)).catch(fail);
    } catch (error) {
      fail(error);
    }
  }
}
