// The only module of this package that touches the machine: clock, timers, randomness, files, environment, sockets.
// deps.browser.ts replaces it if bundlers use the condition "browser".

import { sleepWith, systemTimer } from "./timers.ts";
import { createNodeTransport } from "./transport/node.ts";
import type { ClientDeps } from "./types/adapter.ts";
import { type Some, withoutUndefined } from "./types/some.ts";

/** Everything a client takes from the machine, with some parts replaced. */
export function defaultDeps(overrides: Some<ClientDeps> = {}): ClientDeps {
  const env = overrides.env ?? process.env;
  const setTimer = overrides.setTimer ?? systemTimer;
  const now = overrides.now ?? Date.now;
  return {
    random: Math.random,
    uuid: () => globalThis.crypto.randomUUID(),
    sleep: (ms, signal) => sleepWith(setTimer, ms, signal),
    readFile: (path) => process.getBuiltinModule("node:fs").promises.readFile(path),
    homeDir: env["HOME"] ?? "/",
    ...withoutUndefined(overrides),
    env,
    setTimer,
    now,
    fetch: overrides.fetch ?? createNodeTransport({ env, setTimer, now }),
  };
}
