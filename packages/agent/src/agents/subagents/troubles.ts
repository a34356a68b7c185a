// What went wrong during one input of a child, from its events: warnings, errors, and retried requests.

import { oneLine } from "../../base/text/one-line.ts";
import type { SessionEvent } from "../../contract/events/types.ts";
import type { RetryFailure } from "../../contract/subagents.ts";

/** Only the last lines are kept. */
const MOST_LINES = 100;

export class Troubles {
  #lines: string[] = [];
  #retries = 0;

  follow(event: SessionEvent): void {
    switch (event.kind) {
      case "retry":
        this.#retries += 1;
        this.#add(`${event.data.message.replace(/\.$/, "")}; trying again`);
        break;
      case "assistant_text_end":
        this.#retries = 0;
        break;
      case "warning":
      case "error":
        this.#add(event.data.message);
    }
  }

  get stderr(): string {
    return this.#lines.join("\n");
  }

  /** `error`: the error that the input failed with. */
  retryFailure(error: string | undefined): RetryFailure | undefined {
    return error === undefined || this.#retries === 0 ? undefined : { attempts: this.#retries + 1, message: error };
  }

  #add(message: string): void {
    this.#lines = [...this.#lines, oneLine(message)].slice(-MOST_LINES);
  }
}
