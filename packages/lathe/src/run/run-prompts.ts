// Gives prompts to a session one after the other, passes its events on, and gathers what the end of the run is judged by.

import type { EndReason, InputContent, Session, SessionEvent } from "@lathe/agent";
import { addUsage, type Usage } from "@lathe/llm";
import type { RunFacts } from "./outcome.ts";
import type { Permissions } from "./permissions.ts";

export interface RunReport extends RunFacts {
  readonly usage: Usage;
  readonly cost: number;
}

const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };

/** May ask to be given time before the next event. */
export type EventListener = (event: SessionEvent) => Promise<void> | undefined | void;

export class RunDriver {
  readonly #session: Session;
  readonly #permissions: Permissions;
  readonly #reading: Promise<void>;
  #inputEnded: () => void = () => {};
  #reason: EndReason = "completed";
  #text = "";
  #finish = "stop";
  #usage: Usage = NO_USAGE;
  #cost = 0;
  #error: RunFacts["error"];

  constructor(session: Session, permissions: Permissions, onEvent: EventListener) {
    this.#session = session;
    this.#permissions = permissions;
    this.#reading = this.#read(onEvent);
  }

  submit(prompt: InputContent): Promise<boolean> {
    return this.#input(() => this.#session.submit(prompt));
  }

  /** Finishes what an earlier process left undone. */
  continue(): Promise<boolean> {
    return this.#input(() => this.#session.continue());
  }

  report(): RunReport {
    return {
      reason: this.#reason,
      text: this.#text,
      finish: this.#finish,
      awaitingInput: this.#session.state === "awaiting_input",
      denied: this.#permissions.denied,
      usage: this.#usage,
      cost: this.#cost,
      ...(this.#error ? { error: this.#error } : {}),
    };
  }

  /** After the session was closed: every event has been passed on. */
  drained(): Promise<void> {
    return this.#reading;
  }

  /** True when the input simply completed, so that a further one makes sense. */
  async #input(start: () => Promise<void>): Promise<boolean> {
    // The event that ends an input may be read a little after the call that ran it has returned.
    const ended = new Promise<void>((resolve) => {
      this.#inputEnded = resolve;
    });
    await start();
    await ended;
    return this.#reason === "completed" && this.#session.state === "idle";
  }

  async #read(onEvent: EventListener): Promise<void> {
    for await (const event of this.#session.events()) {
      this.#see(event);
      const later = onEvent(event);
      if (later) await later;
      if (event.kind === "processing_end" && event.data.followups_pending === 0) this.#inputEnded();
    }
    this.#inputEnded();
  }

  #see(event: SessionEvent): void {
    switch (event.kind) {
      case "user_input":
        this.#text = "";
        this.#error = undefined;
        break;
      case "assistant_text_end":
        this.#text = event.data.text;
        this.#finish = event.data.finish;
        break;
      case "error":
        this.#error = { message: event.data.message, type: event.data.error_type };
        break;
      case "processing_end":
        this.#reason = event.data.reason;
        this.#usage = addUsage(this.#usage, event.data.usage);
        this.#cost += event.data.cost;
        break;
      case "session_end":
        if (event.data.reason === "error") this.#reason = "error";
        break;
    }
  }
}
