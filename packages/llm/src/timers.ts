// Timers of the machine, and sleeping over any timer.

import type { ClientDeps } from "./types/adapter.ts";
import { AbortError } from "./types/errors.ts";

export function systemTimer(callback: () => void, ms: number): { cancel(): void } {
  const timer = setTimeout(callback, ms);
  return { cancel: () => clearTimeout(timer) };
}

/** A sleep over any timer; an abort ends it at once. */
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
