// What node's agents do not guarantee: a connection that has waited for long, or on which something came that
// no request asked for, serves no further request; and one can be opened before there is a request for it.

import type { Agent, AgentOptions, RequestOptions } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { ClientDeps } from "../types/adapter.ts";

/**
 * Older ones are not trusted: while a machine sleeps or changes its network, connections die without notice, and a
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
  /** TCP and TLS are behind it. */
  isOpen(socket: Duplex): boolean;
  /** It waited before it got its request, so its server may have closed it. */
  hasWaited(socket: Duplex): boolean;
  /**
   * Opens one that the next request to the target takes. Errors are left for that request to report. Not for agents
   * that hand connections out later than they are asked.
   */
  prepare(target: RequestOptions): void;
  /** Closes those that wait for a request. */
  dropIdle(): void;
  /** Closes those that wait for a request now, the others when their exchange is over. */
  leave(): void;
  /** Closes those that have waited too long. */
  dropStale(): void;
}

/** Node's declaration says void; the documented answer is whether the connection is kept. */
type KeepSocketAlive = (socket: Duplex) => boolean;

/** The connections of a new agent, watched from the outside. */
export function watchConnections(agent: Agent, options: AgentOptions, now: ClientDeps["now"]): Connections {
  const open = new WeakSet<Duplex>();
  const idleSince = new WeakMap<Duplex, number>();
  const prepared = new Map<string, Socket>();
  const rest = (socket: Duplex) => {
    idleSince.set(socket, now());
    // What comes now would be taken for the next answer.
    socket.on("data", close);
  };
  const isStale = (socket: Duplex) => now() - (idleSince.get(socket) ?? 0) > MOST_IDLE_MS;

  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (target, callback) => {
    const name = agent.getName(target as RequestOptions);
    const ready = prepared.get(name);
    prepared.delete(name);
    if (ready !== undefined && !ready.destroyed && !isStale(ready)) {
      ready.off("data", close).off("timeout", close).off("error", close).ref();
      return ready;
    }
    const socket = connect(target, (error, made) => {
      // Node's own agents call it without a connection: they have returned it.
      if (made) open.add(made);
      callback?.(error, made);
    });
    if (socket) socket.once("encrypted" in socket ? "secureConnect" : "connect", () => open.add(socket));
    return socket;
  };
  const leaving = new WeakSet<Duplex>();
  const keep = agent.keepSocketAlive.bind(agent) as unknown as KeepSocketAlive;
  const keepSocketAlive: KeepSocketAlive = (socket) => {
    if (leaving.has(socket) || !keep(socket)) return false;
    rest(socket);
    return true;
  };
  agent.keepSocketAlive = keepSocketAlive;
  const reuse = agent.reuseSocket.bind(agent);
  agent.reuseSocket = (socket, request) => {
    socket.off("data", close);
    reuse(socket, request);
  };

  const idle = () => [...Object.values(agent.freeSockets).flatMap((sockets) => sockets ?? []), ...prepared.values()];
  return {
    agent,
    isOpen: (socket) => open.has(socket),
    hasWaited: (socket) => idleSince.has(socket),
    prepare: (target) => {
      const name = agent.getName(target);
      if (prepared.has(name) || agent.freeSockets[name] !== undefined) return;
      // As the agent itself would ask for one; by the key it finds TLS sessions.
      const keepAliveInitialDelay = options.keepAliveMsecs;
      const wanted = { ...target, ...options, noDelay: true, keepAliveInitialDelay, path: null, _agentKey: name };
      const socket = agent.createConnection(wanted) as Socket;
      rest(socket.on("timeout", close).on("error", close).unref());
      prepared.set(name, socket);
    },
    dropIdle: () => {
      for (const socket of idle()) socket.destroy();
    },
    leave: () => {
      for (const socket of idle()) socket.destroy();
      for (const sockets of Object.values(agent.sockets)) for (const socket of sockets ?? []) leaving.add(socket);
    },
    dropStale: () => {
      for (const socket of idle()) if (isStale(socket)) socket.destroy();
    },
  };
}

function close(this: Duplex): void {
  this.destroy();
}
