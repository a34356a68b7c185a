// Answers that the door has accepted but the session's journal does not hold yet: a client's answer is confirmed once
// it is there.

import type { ClientDeps } from "@lathe/llm";
import { Refusal } from "../../hosts/rpc/handler.ts";

/** A session stores an answer at once; a hung one must not keep the client waiting. */
const TAKEN_WITHIN_MS = 30_000;

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export class UnconfirmedAnswers {
  readonly #setTimer: ClientDeps["setTimer"];
  readonly #waiting = new Map<string, Waiting>();

  constructor(setTimer: ClientDeps["setTimer"]) {
    this.#setTimer = setTimer;
  }

  /** Rejects if the session ends first, or does not confirm in time. */
  async wait(questionId: string): Promise<void> {
    const timer = this.#setTimer(() => {
      const message = "The session has not confirmed the answer. Check whether it continues.";
      this.#end(questionId)?.reject(new Refusal("not_confirmed", message));
    }, TAKEN_WITHIN_MS);
    try {
      await new Promise<void>((resolve, reject) => this.#waiting.set(questionId, { resolve, reject }));
    } finally {
      timer.cancel();
    }
  }

  confirm(questionId: string): void {
    this.#end(questionId)?.resolve();
  }

  /** The session has ended. */
  giveUp(): void {
    const message = "The session ended before it recorded the answer. If it asks again, answer again.";
    for (const id of [...this.#waiting.keys()]) this.#end(id)?.reject(new Refusal("closed", message));
  }

  #end(questionId: string): Waiting | undefined {
    const waiting = this.#waiting.get(questionId);
    this.#waiting.delete(questionId);
    return waiting;
  }
}
