// The machine's timers, and sleeping with any timer.

import type { ClientDeps } from "./types/adapter.ts";
import { AbortError } from "./types/errors.ts";

/** Node treats anything longer as zero. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export function systemTimer(callback: () => void, ms: number): { cancel(): void } {
  const timer = setTimeout(callback, Math.min(ms, LONGEST_TIMER_MS));
  return { cancel: () => clearTimeout(timer) };
}

/** Sleeps with any timer; an abort ends it at once. */
export function sleepWith(setTimer: ClientDeps["setTimer"], ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(new AbortError("The wait was aborted."));
      return;
    }
    const onAbort = () => {
      timer.cancel();
      reject(new AbortError("The wait was aborted."));
    };
    const timer = setTimer(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
