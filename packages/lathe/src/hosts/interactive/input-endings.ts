// The line a user sees when an input did not simply succeed: what happened and what to do. The words are those of print
// mode, adapted to a conversation that continues.

import type { SessionEvent } from "@lathe/agent";
import { outcomeOf, type RunFacts } from "../headless/outcome.ts";
import { REPEATED_AT_END } from "../headless/warning-codes.ts";

export class InputEndings {
  readonly #kept: boolean;
  #answer = { text: "", finish: "" };
  #limit: string | undefined;

  /** @param kept whether the session is on disk and another run can continue it */
  constructor(kept: boolean) {
    this.#kept = kept;
  }

  /** Whether the line at the end of the input covers this event. */
  covers(event: SessionEvent): boolean {
    if (event.kind === "warning") return REPEATED_AT_END.has(event.data.code);
    return event.kind === "error" && !event.data.fatal && event.data.code === undefined;
  }

  /** The line to show after an event, if any. */
  after(event: SessionEvent): string | undefined {
    switch (event.kind) {
      case "user_input":
        this.#answer = { text: "", finish: "" };
        this.#limit = undefined;
        return undefined;
      case "assistant_text_end":
        this.#answer = { text: event.data.text, finish: event.data.finish };
        return undefined;
      case "warning":
        if (event.data.code === "budget_exhausted") this.#limit = event.data.message;
        return undefined;
      case "processing_end": {
        const { reason, awaiting, error } = event.data;
        if (awaiting) return undefined;
        return this.#line({
          reason,
          ...this.#answer,
          denied: [],
          ...(error ? { error } : {}),
          ...(this.#limit === undefined ? {} : { limit: this.#limit }),
        });
      }
      default:
        return undefined;
    }
  }

  #line(facts: RunFacts): string | undefined {
    switch (facts.reason) {
      // The user did it.
      case "interrupted":
      case "aborted":
        return undefined;
      case "round_limit":
        return "The limit of tool calls for one request was reached. To continue, send: continue";
      case "budget":
      case "turn_limit":
        return outcomeOf({ ...facts, kept: this.#kept }).message;
      case "completed":
        if (facts.finish === "length") return "The answer was cut off at the output limit. To continue, send: continue";
    }
    // The session is still open: sending the request again is enough.
    return outcomeOf({ ...facts, kept: false }).message;
  }
}
