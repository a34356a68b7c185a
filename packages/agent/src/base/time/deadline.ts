// What a session takes from the machine: time, randomness and ids. All of it is passed in, which is what makes a run
// replayable. Waiting helpers built on it are here too.

import { setMaxListeners } from "node:events";
import type { ClientDeps } from "@lathe/llm";

/** Clock, randomness, ids and timers; `defaultDeps()` of @lathe/llm has those of this process. */
export type SessionDeps = Pick<ClientDeps, "now" | "random" | "uuid" | "setTimer" | "sleep">;

/** Resolves after `ms`, or rejects with the signal's reason as soon as it aborts. */
export async function sleep(deps: SessionDeps, ms: number, signal: AbortSignal): Promise<void> {
  try {
    await deps.sleep(ms, signal);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}

/** Any number of calls may listen to it: Node would take more than ten listeners for a leak and say so on stderr. */
export function abortController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

export class DeadlineError extends Error {
  constructor(what: string, ms: number) {
    super(`${what} did not finish within ${ms} ms`);
    this.name = "DeadlineError";
  }
}

interface Limits {
  readonly what: string;
  /** 0: no deadline. */
  readonly ms: number;
  /** How long work may take to react to an abort before it is left behind. */
  readonly graceMs: number;
  readonly signal: AbortSignal;
  readonly hold?: DeadlineHold | undefined;
}

/** Stops the clock of a deadline: as long as work is held, no time passes; then it starts anew. */
export class DeadlineHold {
  #held = 0;
  /** Set by the one deadline that it belongs to. */
  onChange: () => void = () => {};

  get isHeld(): boolean {
    return this.#held > 0;
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    if (this.#held++ === 0) this.onChange();
    try {
      return await work();
    } finally {
      if (--this.#held === 0) this.onChange();
    }
  }
}

/** Runs `work` with a signal that aborts when the outer one does or the time is up. */
export function withDeadline<T>(
  deps: SessionDeps,
  limits: Limits,
  work: (signal: AbortSignal) => Promise<T> | T,
): Promise<T> {
  if (limits.signal.aborted) return Promise.reject(limits.signal.reason);
  const inner = abortController();
  return endInTime(deps, limits, startNow(work, inner.signal), (reason) => inner.abort(reason));
}

/** Settles as the work does, at the latest `graceMs` after it was aborted: by the outer signal, or because the time is up. */
export function endInTime<T>(
  deps: SessionDeps,
  { what, ms, graceMs, signal, hold }: Limits,
  working: Promise<T>,
  abort: (reason: unknown) => void = () => {},
): Promise<T> {
  return new Promise((resolve, reject) => {
    let settled = false;
    let stopped: { readonly reason: unknown } | undefined;
    let timer: { cancel(): void } | undefined;
    let grace: { cancel(): void } | undefined;
    const stop = (reason: unknown): void => {
      if (stopped) return;
      stopped = { reason };
      abort(reason);
      grace = deps.setTimer(() => settle(() => reject(reason)), graceMs);
    };
    const onAbort = (): void => stop(signal.reason);
    const startTimer = (): void => {
      timer?.cancel();
      if (!settled && !stopped && !hold?.isHeld) timer = deps.setTimer(() => stop(new DeadlineError(what, ms)), ms);
    };
    const settle = (finish: () => void): void => {
      settled = true;
      timer?.cancel();
      grace?.cancel();
      signal.removeEventListener("abort", onAbort);
      finish();
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    working.then(
      (value) => settle(() => resolve(value)),
      (error: unknown) => settle(() => reject(stopped ? stopped.reason : error)),
    );
    // Not for what needs no waiting: the first prefix is rendered without, and node's timers cost a start time.
    if (ms === 0) return;
    process.nextTick(startTimer);
    if (hold) hold.onChange = startTimer;
  });
}

/** Runs at once; a synchronous throw becomes a rejection. */
async function startNow<T>(work: (signal: AbortSignal) => Promise<T> | T, signal: AbortSignal): Promise<T> {
  return work(signal);
}
