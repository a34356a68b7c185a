// Starts of children that are under way. A child that has not begun is in no list yet, so an interrupt or the end of
// the session must stop it here.

import { messageOf } from "@lathe/llm";
import { abortController } from "../../base/time/deadline.ts";
import { ToolFailure } from "../../contract/tool.ts";

export class Starts {
  #controller = abortController();
  #isClosed = false;
  readonly #underWay = new Set<Promise<unknown>>();

  /** True if no child may start any more. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Work that starts children gets a signal: once it has fired, the work starts none. */
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

  /** Aborts the starts that are under way; others may follow. */
  interrupt(): void {
    this.#controller.abort(new Error("it was interrupted"));
    if (!this.#isClosed) this.#controller = abortController();
  }

  /** Resolves when the starts that were under way are over. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#controller.abort(new Error("the session has ended"));
    await Promise.all(this.#underWay);
  }
}

/** Throws for the model if the start was aborted. */
export function mustStart(agentId: string, { aborted, reason }: AbortSignal): void {
  if (aborted) throw new ToolFailure(`The agent ${agentId} was not started: ${messageOf(reason)}.`);
}
