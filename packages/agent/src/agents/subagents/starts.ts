// Starts of children that are under way. A child that has not begun is in no list yet, so an interrupt and the end of the session
// reach it here: nothing starts behind their back.

import { messageOf } from "@lathe/llm";
import { abortController } from "../../base/time/deadline.ts";
import { ToolFailure } from "../../contract/tool.ts";

export class Starts {
  #controller = abortController();
  #isClosed = false;
  readonly #underWay = new Set<Promise<unknown>>();

  /** No child may start any more. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** What starts children gets a signal: once it has fired, it starts none. */
  run<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const started = work(this.#controller.signal);
    const settled = started.then(
      () => {},
      () => {},
    );
    this.#underWay.add(settled);
    void settled.then(() => this.#underWay.delete(settled));
    return started;
  }

  /** Ends those that are under way; others may follow. */
  interrupt(): void {
    this.#controller.abort(new Error("it was interrupted"));
    if (!this.#isClosed) this.#controller = abortController();
  }

  /** Resolves when those that were under way are over. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#controller.abort(new Error("the session has ended"));
    await Promise.all(this.#underWay);
  }
}

/** Throws for the model when the start was ended. */
export function mustStart(agentId: string, { aborted, reason }: AbortSignal): void {
  if (aborted) throw new ToolFailure(`The agent ${agentId} was not started: ${messageOf(reason)}.`);
}
