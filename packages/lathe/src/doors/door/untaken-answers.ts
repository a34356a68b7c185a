// Answers that were accepted at a door and are not yet in the journal of the session: who gave one hears that it counts when it is there.

import type { ClientDeps } from "@lathe/llm";
import { Refusal } from "../../hosts/rpc/handler.ts";

/** A session keeps an answer as soon as it has it; one that hangs must not keep the client waiting. */
const TAKEN_WITHIN_MS = 30_000;

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export class UntakenAnswers {
  readonly #setTimer: ClientDeps["setTimer"];
  readonly #waiting = new Map<string, Waiting>();

  constructor(setTimer: ClientDeps["setTimer"]) {
    this.#setTimer = setTimer;
  }

  /** Rejects when the session ends before, or does not say so in time. */
  async wait(questionId: string): Promise<void> {
    const timer = this.#setTimer(() => {
      const message = "The session has not confirmed the answer. Look whether it goes on.";
      this.#end(questionId)?.reject(new Refusal("not_confirmed", message));
    }, TAKEN_WITHIN_MS);
    try {
      await new Promise<void>((resolve, reject) => this.#waiting.set(questionId, { resolve, reject }));
    } finally {
      timer.cancel();
    }
  }

  taken(questionId: string): void {
    this.#end(questionId)?.resolve();
  }

  /** The session has gone. */
  giveUp(): void {
    const message = "The session ended before it had noted the answer. If it asks again, answer again.";
    for (const id of [...this.#waiting.keys()]) this.#end(id)?.reject(new Refusal("closed", message));
  }

  #end(questionId: string): Waiting | undefined {
    const waiting = this.#waiting.get(questionId);
    this.#waiting.delete(questionId);
    return waiting;
  }
}
