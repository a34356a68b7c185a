// Gives prompts to a session one after the other, passes its events on, and gathers what the end of the run is judged by.

import type { EndReason, InputContent, Session, SessionEvent } from "@lathe/agent";
import { addUsage, type Usage } from "@lathe/llm";
import type { Permissions } from "../permissions/permissions.ts";
import type { RecordingTape } from "../record/tape.ts";
import { type Asked, askedIn } from "./asked.ts";
import type { RunFacts } from "./outcome.ts";

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
  #asked: Asked | undefined;
  #usage: Usage = NO_USAGE;
  #cost = 0;
  #error: RunFacts["error"];
  #limit: string | undefined;
  readonly #tape: RecordingTape | undefined;

  constructor(session: Session, permissions: Permissions, onEvent: EventListener, tape?: RecordingTape) {
    this.#session = session;
    this.#permissions = permissions;
    this.#tape = tape;
    this.#reading = this.#read(onEvent);
  }

  submit(prompt: InputContent): Promise<boolean> {
    return this.#input(() => this.#tape?.input(this.#session, "submit", prompt) ?? this.#session.submit(prompt));
  }

  /** Finishes what an earlier process left undone. */
  continue(): Promise<boolean> {
    return this.#input(() => this.#tape?.input(this.#session, "continue") ?? this.#session.continue());
  }

  interrupt(): Promise<void> {
    return this.#tape?.input(this.#session, "interrupt") ?? this.#session.interrupt();
  }

  /** Ends the run because a limit outside the session was reached. */
  stopAtLimit(what: string): void {
    this.#limit = what;
    void this.interrupt();
  }

  /** Takes over how an earlier process ended, when there is nothing left to do. */
  recall(): void {
    const { input } = this.#session.journal;
    this.#text = this.#session.lastText();
    this.#reason = ((input?.state === "end" ? input.reason : undefined) ?? "completed") as EndReason;
  }

  report(): RunReport {
    const asked = this.#session.state === "awaiting_input" ? this.#asked : undefined;
    return {
      reason: this.#reason,
      text: asked ? [this.#text.trim(), asked.text].filter((text) => text !== "").join("\n\n") : this.#text,
      finish: this.#finish,
      awaitingInput: this.#session.state === "awaiting_input",
      ...(asked ? { asked: asked.what } : {}),
      denied: this.#permissions.denied,
      usage: this.#usage,
      cost: this.#cost,
      ...(this.#limit === undefined ? {} : { limit: this.#limit }),
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
      // Not processing_end: queued messages may follow it, or stay queued after a failure.
      if (event.kind === "state_changed" && event.data.to !== "processing") this.#inputEnded();
    }
    this.#inputEnded();
  }

  #see(event: SessionEvent): void {
    switch (event.kind) {
      case "user_input":
        this.#text = "";
        this.#asked = undefined;
        this.#error = undefined;
        break;
      case "tool_call_end":
        this.#asked = askedIn(event.data.details) ?? this.#asked;
        break;
      case "assistant_text_end":
        this.#text = event.data.text;
        this.#finish = event.data.finish;
        break;
      case "warning":
        if (event.data.code === "budget_exhausted") this.#limit = event.data.message;
        break;
      case "error":
        this.#error = { message: event.data.message, type: event.data.error_type };
        break;
      case "processing_end":
        this.#reason = event.data.reason;
        if (event.data.reason === "context_overflow" && event.data.error !== undefined)
          this.#error = { message: event.data.error, type: "ContextLengthError" };
        this.#usage = addUsage(this.#usage, event.data.usage);
        this.#cost += event.data.cost;
        break;
      case "session_end":
        if (event.data.reason === "error") this.#reason = "error";
        break;
    }
  }
}
