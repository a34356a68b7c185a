// What a session takes from the machine: time, randomness and ids. All of it is passed in, which makes a run
// replayable. The waiting helpers built on it are here too.

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

/** Allows any number of listeners: Node takes more than ten for a leak and prints a warning to stderr. */
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
  /** How long work may take to react to an abort before it is abandoned. */
  readonly graceMs: number;
  readonly signal: AbortSignal;
  readonly hold?: DeadlineHold | undefined;
}

/** Pauses a deadline: no time passes while work is held; afterwards the full time starts again. */
export class DeadlineHold {
  #held = 0;
  /** Set by the deadline that it belongs to. */
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

/** Settles when the work does, at the latest `graceMs` after the outer signal or the deadline aborted it. */
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
    // Without a wait there is no timer: the first prefix is rendered without one, and loading Node's timers delays the
    // start.
    if (ms === 0) return;
    process.nextTick(startTimer);
    if (hold) hold.onChange = startTimer;
  });
}

/** Runs the work immediately; a synchronous throw becomes a rejection. */
async function startNow<T>(work: (signal: AbortSignal) => Promise<T> | T, signal: AbortSignal): Promise<T> {
  return work(signal);
}
