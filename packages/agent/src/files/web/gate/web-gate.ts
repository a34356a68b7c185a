// The gate of a session: it holds the options, and loads the code that judges and connects with the first request.

import type { Passage } from "./passage.ts";
import type { GateOptions, WebGate } from "./types.ts";

/** The gate of one session. */
export function webGate(options: GateOptions): WebGate {
  return gateWith(options, new Set(), once(options.onNotice));
}

function gateWith(options: GateOptions, typed: Set<string>, onNotice: (message: string) => void): WebGate {
  let passage: Promise<Passage> | undefined;
  const load = (): Promise<Passage> => {
    passage ??= import("./passage.ts").then(({ Passage }) => new Passage({ ...options, onNotice }, typed));
    return passage;
  };
  return {
    request: async (request, signal) => (await load()).request(request, signal),
    connect: async (host, port, signal) => (await load()).connect(host, port, signal),
    isLoopback: async (host) => (await load()).isLoopback(host),
    isOwn: async (host, port) => (await load()).isOwn(host, port),
    isClosed: async (host, port) => (await load()).isClosed(host, port),
    openTyped: (address) => void typed.add(address),
    inside: (env) => gateWith({ ...options, env }, typed, onNotice),
  };
}

function once(tell: ((message: string) => void) | undefined): (message: string) => void {
  let isTold = false;
  return (message) => {
    if (!isTold) tell?.(message);
    isTold = true;
  };
}
