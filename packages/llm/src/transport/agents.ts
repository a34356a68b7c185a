// What node's agents do not promise by themselves: a connection that has waited for long, or on which something came that
// nobody asked for, serves no further request.

import type { Agent, AgentOptions } from "node:http";
import type { Duplex } from "node:stream";
import type { ClientDeps } from "../types/adapter.ts";

/**
 * Older ones are not trusted: while a machine sleeps or changes its network, connections die and nobody tells, and a
 * request on a dead one hangs until its timeout. By the clock on the wall, since timers sleep as well.
 */
const MOST_IDLE_MS = 60_000;

/** `keepAliveMsecs`: the system looks after connections on which nothing has moved for so long. */
export const AGENT_OPTIONS: AgentOptions = {
  keepAlive: true,
  keepAliveMsecs: 30_000,
  maxFreeSockets: 16,
  timeout: MOST_IDLE_MS,
};

export interface Connections {
  readonly agent: Agent;
  /** Closes those that wait for a request. */
  dropIdle(): void;
  /** Closes those that have waited too long. */
  dropStale(): void;
}

/** Node's declaration says void; the documented answer is whether the connection is kept. */
type KeepSocketAlive = (socket: Duplex) => boolean;

/** The connections of a new agent, watched while they wait. */
export function watchIdle(agent: Agent, now: ClientDeps["now"]): Connections {
  const idleSince = new WeakMap<Duplex, number>();
  const keep = agent.keepSocketAlive.bind(agent) as unknown as KeepSocketAlive;
  const reuse = agent.reuseSocket.bind(agent);
  const keepSocketAlive: KeepSocketAlive = (socket) => {
    if (!keep(socket)) return false;
    idleSince.set(socket, now());
    // What comes now would be taken for the next answer.
    socket.on("data", close);
    return true;
  };
  agent.keepSocketAlive = keepSocketAlive;
  agent.reuseSocket = (socket, request) => {
    socket.off("data", close);
    reuse(socket, request);
  };
  const idle = () => Object.values(agent.freeSockets).flatMap((sockets) => sockets ?? []);
  return {
    agent,
    dropIdle: () => {
      for (const socket of idle()) socket.destroy();
    },
    dropStale: () => {
      for (const socket of idle()) if (now() - (idleSince.get(socket) ?? 0) > MOST_IDLE_MS) socket.destroy();
    },
  };
}

function close(this: Duplex): void {
  this.destroy();
}
