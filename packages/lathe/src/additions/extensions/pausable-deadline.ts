// How long an extension's code may take to return: a deadline that pauses while the extension waits for us, such as for
// the user's answer or a model.

import type { SessionDeps } from "@lathe/agent";

class OutOfTime extends Error {
  constructor(ms: number) {
    super(`did not finish within ${ms >= 1000 ? `${ms / 1000} s` : `${ms} ms`}`);
    this.name = "OutOfTime";
  }
}

export class PausableDeadline {
  readonly #deps: Pick<SessionDeps, "now" | "setTimer">;
  readonly #ms: number;
  readonly #controller = new AbortController();
  #left: number;
  #since = 0;
  #waits = 0;
  #timer: { cancel(): void } | undefined;
  #isLimited = false;
  #giveUp: (error: Error) => void = () => {};

  constructor(deps: Pick<SessionDeps, "now" | "setTimer">, ms: number) {
    this.#deps = deps;
    this.#ms = ms;
    this.#left = ms;
  }

  /** Aborts when the time is up, or when a caller gives up waiting. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /**
   * Waits for the work, but rejects when the time is up or the outer signal aborts, even if the work does not react.
   */
  async waitFor<T>(work: Promise<T>, outer?: AbortSignal): Promise<T> {
    const gaveUp = new Promise<never>((_resolve, reject) => {
      this.#giveUp = reject;
    });
    const onAbort = (): void => this.#end(outer?.reason);
    if (outer?.aborted) onAbort();
    else outer?.addEventListener("abort", onAbort, { once: true });
    this.#isLimited = true;
    this.#run();
    try {
      return await Promise.race([work, gaveUp]);
    } finally {
      this.#isLimited = false;
      this.#stop();
      outer?.removeEventListener("abort", onAbort);
      // The caller no longer waits for this work. The code that runs it reports its failures.
      work.catch(() => {});
    }
  }

  /** Pauses the deadline while the extension waits for us. */
  async pauseDuring<T>(wait: Promise<T>): Promise<T> {
    this.#waits++;
    this.#stop();
    try {
      return await wait;
    } finally {
      this.#waits--;
      this.#run();
    }
  }

  /**
   * Waits for work whose deadline the caller enforces. Rejects at once when the caller's signal aborts, even if the
   * work does not react.
   */
  async waitUnlessAborted<T>(work: Promise<T>, outer: AbortSignal): Promise<T> {
    const stopped = new Promise<never>((_resolve, reject) => {
      this.#giveUp = reject;
    });
    const onAbort = (): void => this.#end(outer.reason);
    if (outer.aborted) onAbort();
    else outer.addEventListener("abort", onAbort, { once: true });
    try {
      return await Promise.race([work, stopped]);
    } finally {
      outer.removeEventListener("abort", onAbort);
      work.catch(() => {});
    }
  }

  #run(): void {
    if (!this.#isLimited || this.#waits > 0 || this.#timer || this.#controller.signal.aborted) return;
    this.#since = this.#deps.now();
    this.#timer = this.#deps.setTimer(() => this.#end(new OutOfTime(this.#ms)), this.#left);
  }

  #stop(): void {
    if (!this.#timer) return;
    this.#timer.cancel();
    this.#timer = undefined;
    this.#left = Math.max(0, this.#left - (this.#deps.now() - this.#since));
  }

  #end(reason: unknown): void {
    const error = reason instanceof Error ? reason : new Error("it was stopped");
    this.#controller.abort(error);
    this.#giveUp(error);
  }
}
