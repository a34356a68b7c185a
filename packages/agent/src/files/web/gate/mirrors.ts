// Addresses that the user wants fetched from elsewhere: a mirror of a registry, an internal server.

import type { WebGate } from "./types.ts";

/** Base addresses by the origin that they replace. The rest of the address is appended to the base. */
export type Mirrors = Readonly<Record<string, string>>;

/** The same gate, with mirrors applied. The user has chosen them, so their ports are open. */
export function mirroredGate(gate: WebGate, mirrors: Mirrors): WebGate {
  for (const base of Object.values(mirrors)) gate.openTyped(base);
  return {
    ...gate,
    async request(request, signal) {
      const { origin, pathname, search } = request.url;
      const base = mirrors[origin];
      if (base === undefined) return gate.request(request, signal);
      const url = new URL(`${base.replace(/\/+$/, "")}${pathname}${search}`);
      // It acts for the origin, wherever the user runs it.
      return { ...(await gate.request({ ...request, url }, signal)), isLoopback: false };
    },
    inside: (env) => mirroredGate(gate.inside(env), mirrors),
  };
}
