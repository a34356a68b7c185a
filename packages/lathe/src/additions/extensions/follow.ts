// Passes the events of a session to extensions, in order and without holding up the session: a slow handler gets them
// late, and not all pieces of an answer.

import type { Session, SessionEvent } from "@lathe/agent";
import type { Dispatch } from "./dispatch.ts";

/** Pieces of answers beyond this number are dropped while a handler is slow. */
const MOST_WAITING = 1_000;

export class Follower {
  readonly #dispatch: Dispatch;
  #delivered: Promise<void> = Promise.resolve();
  #waiting = 0;
  #retries = 0;
  #isAutomatic = false;
  #answer = "";

  constructor(dispatch: Dispatch) {
    this.#dispatch = dispatch;
  }

  async follow(session: Session): Promise<void> {
    for await (const event of session.events()) this.#event(event);
  }

  /** Resolves when handlers have seen all events so far. */
  flush(): Promise<void> {
    return this.#delivered;
  }

  notify: Dispatch["notify"] = (name, data) => {
    if (!this.#dispatch.listens(name)) return Promise.resolve();
    if (name === "message_update" && this.#waiting > MOST_WAITING) return Promise.resolve();
    this.#waiting++;
    this.#delivered = this.#delivered.then(async () => {
      await this.#dispatch.notify(name, data);
      this.#waiting--;
    });
    return this.#delivered;
  };

  #event(event: SessionEvent): void {
    switch (event.kind) {
      case "user_input":
        this.#answer = "";
        void this.notify("agent_start", { prompt: event.data.content });
        break;
      case "processing_end": {
        const { reason, cost } = event.data;
        void this.notify("agent_end", { reason, cost, text: this.#answer });
        break;
      }
      case "turn_start":
        void this.notify("turn_start", { turn: event.data.turn });
        break;
      case "turn_end":
        this.#noteRetry();
        void this.notify("turn_end", { turn: event.data.turn, outcome: event.data.outcome });
        break;
      case "assistant_text_start":
        this.#noteRetry();
        break;
      case "assistant_text_delta":
        void this.notify("message_update", { delta: event.data.delta });
        break;
      case "assistant_text_end":
        this.#answer = event.data.text;
        void this.notify("message_end", { text: event.data.text });
        break;
      case "retry": {
        const { attempt, delay_ms: delayMs, message } = event.data;
        this.#retries = attempt;
        void this.notify("auto_retry_start", { attempt, delayMs, message });
        break;
      }
      case "compaction_start":
        this.#isAutomatic = event.data.reason !== "manual";
        if (this.#isAutomatic) void this.notify("auto_compaction_start", { reason: event.data.reason });
        break;
      case "compaction_end": {
        const { error, tokens_after: tokensAfter } = event.data;
        const failed = error === undefined ? {} : { error };
        if (this.#isAutomatic) void this.notify("auto_compaction_end", failed);
        void this.notify("session_compact", { ...failed, ...(tokensAfter === undefined ? {} : { tokensAfter }) });
        break;
      }
      case "tree_moved": {
        const { old_leaf_id: oldLeafId, new_leaf_id: newLeafId, from_extension: fromExtension } = event.data;
        const { summary_entry_id: summaryEntryId } = event.data;
        void this.notify("session_tree", { oldLeafId, newLeafId, summaryEntryId, fromExtension });
        break;
      }
      case "warning":
        // Extensions do not get warnings about extensions: a handler that fails on a warning would cause the next one,
        // without end.
        if (!event.data.code.startsWith("extension")) void this.notify("warning", { ...event.data });
        break;
    }
  }

  #noteRetry(): void {
    if (this.#retries > 0) void this.notify("auto_retry_end", { attempts: this.#retries });
    this.#retries = 0;
  }
}
