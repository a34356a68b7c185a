// The one place of this package that touches the machine: clock, timers, randomness, files, environment, sockets.

import { createNodeTransport } from "./transport/node.ts";
import type { ClientDeps } from "./types/adapter.ts";
import { AbortError } from "./types/errors.ts";

export function defaultDeps(overrides: Partial<ClientDeps> = {}): ClientDeps {
  const env = overrides.env ?? process.env;
  const setTimer = overrides.setTimer ?? systemTimer;
  const now = overrides.now ?? Date.now;
  return {
    random: Math.random,
    uuid: () => globalThis.crypto.randomUUID(),
    sleep: (ms, signal) => sleepWith(setTimer, ms, signal),
    readFile: async (path) => (await import("node:fs/promises")).readFile(path),
    homeDir: env["HOME"] ?? "/",
    ...overrides,
    env,
    setTimer,
    now,
    fetch: overrides.fetch ?? createNodeTransport({ env, setTimer, now }),
  };
}

function systemTimer(callback: () => void, ms: number): { cancel(): void } {
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
