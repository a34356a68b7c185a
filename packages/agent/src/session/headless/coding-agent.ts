// One session behind one method: a prompt in, AgentEvents out. The signal of a prompt ends that prompt only.

import type { Message } from "@lathe/llm";
import { type AgentEvent, toAgentEvents } from "../../contract/events/agent-events.ts";
import type { InputContent } from "../../contract/events/types.ts";
import { SessionError } from "../../contract/session-error.ts";
import { Session } from "../session.ts";
import { type CodingAgentOptions, sessionOptionsFor } from "./options.ts";

export type { CodingAgentOptions } from "./options.ts";

/** One session behind one method: a prompt in, a stream of events out. */
export class CodingAgent {
  readonly session: Session;
  #busy = false;

  /** Wraps a new session, or one that the host has made. */
  constructor(options: CodingAgentOptions | Session) {
    this.session = options instanceof Session ? options : new Session(sessionOptionsFor(options));
  }

  /** Starts with the first `next()`. Leaving the loop early interrupts the prompt. */
  prompt(message: InputContent, signal?: AbortSignal): AsyncIterable<AgentEvent> {
    return { [Symbol.asyncIterator]: () => this.#run(message, signal) };
  }

  /** The conversation as the model would see it next. */
  getMessages(): readonly Message[] {
    return [...this.session.journal.context.messages];
  }

  /** Replaces the conversation. The old one stays in the journal as another branch. */
  setMessages(messages: readonly Message[]): void {
    this.session.moveTo(null);
    for (const message of messages) this.session.journal.append({ type: "message", message });
  }

  async close(): Promise<void> {
    await this.session.close();
  }

  async *#run(message: InputContent, signal?: AbortSignal): AsyncGenerator<AgentEvent, void, undefined> {
    if (this.#busy) throw new SessionError("busy", "the previous prompt has not ended");
    this.#busy = true;
    const reader = this.session.events();
    const interrupt = (): void => void this.session.interrupt();
    const map = toAgentEvents();
    let hasBegun = false;
    try {
      const done = this.session.submit(message);
      // The reader below reports a rejection; one that comes earlier must not go unhandled.
      done.catch(() => reader.return?.());
      signal?.addEventListener("abort", interrupt, { once: true });
      if (signal?.aborted) interrupt();
      for await (const event of reader) {
        yield* map(event);
        hasBegun ||= event.kind === "user_input";
        // Follow-ups belong to the prompt unless it was interrupted. Only the state tells us that no more will come.
        if (hasBegun && event.kind === "state_changed") break;
      }
      await done;
    } finally {
      signal?.removeEventListener("abort", interrupt);
      await reader.return?.();
      if (this.session.state === "processing") await this.session.interrupt();
      this.#busy = false;
    }
  }
}
