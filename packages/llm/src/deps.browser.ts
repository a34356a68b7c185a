// deps.ts for browsers: requests go through `fetch`, and there are neither files nor an environment.

import { sleepWith, systemTimer } from "./timers.ts";
import { createFetchTransport } from "./transport/fetch.ts";
import type { ClientDeps, Transport } from "./types/adapter.ts";
import { ConfigurationError } from "./types/errors.ts";
import { type Some, withoutUndefined } from "./types/some.ts";

/** Everything a client takes from the machine, with some parts replaced. */
export function defaultDeps(overrides: Some<ClientDeps> = {}): ClientDeps {
  const setTimer = overrides.setTimer ?? systemTimer;
  return {
    now: Date.now,
    random: Math.random,
    uuid: randomUuid,
    sleep: (ms, signal) => sleepWith(setTimer, ms, signal),
    readFile: async (path) => {
      throw new ConfigurationError(`${path} cannot be read in a browser; pass the bytes or your own readFile.`);
    },
    homeDir: "/",
    env: {},
    ...withoutUndefined(overrides),
    setTimer,
    fetch: overrides.fetch ?? underOwnName(createFetchTransport()),
  };
}

/** Browsers send their own user agent; servers would have to allow a different one explicitly. */
function underOwnName(transport: Transport): Transport {
  return (request) => {
    const { "user-agent": _, ...headers } = request.headers;
    return transport({ ...request, headers });
  };
}

/** Pages that were not loaded over https have no `crypto.randomUUID`. */
function randomUuid(): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
