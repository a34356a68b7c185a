// Addresses that the user has fetched from elsewhere: a mirror of a registry, a server inside the company.

import type { WebGate } from "./types.ts";

/** Base addresses by the origin that they stand for. What follows the origin is asked for below the base. */
export type Mirrors = Readonly<Record<string, string>>;

/** The same gate, which goes to mirrors where there are some. They are the user's choice, so their ports are open. */
export function mirroredGate(gate: WebGate, mirrors: Mirrors): WebGate {
  for (const base of Object.values(mirrors)) gate.openTyped(base);
  return {
    ...gate,
    async request(request, signal) {
      const { origin, pathname, search } = request.url;
      const base = mirrors[origin];
      if (base === undefined) return gate.request(request, signal);
      const url = new URL(`${base.replace(/\/+$/, "")}${pathname}${search}`);
      // It speaks for the origin, wherever the user runs it.
      return { ...(await gate.request({ ...request, url }, signal)), isLoopback: false };
    },
    inside: (env) => mirroredGate(gate.inside(env), mirrors),
  };
}
