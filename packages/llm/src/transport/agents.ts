// What Node's agents do not guarantee: a connection that has been idle for long, or that received unrequested data, is
// not used again; and a connection can be opened before there is a request for it.

import type { Agent, AgentOptions, RequestOptions } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { ClientDeps } from "../types/adapter.ts";

/**
 * We do not trust connections idle for longer: while a machine sleeps or changes its network, they die without notice,
 * and a request on a dead one hangs until its timeout. Uses wall-clock time, because timers sleep as well.
 */
const MOST_IDLE_MS = 60_000;

/** `keepAliveMsecs`: the system probes connections that have been silent for this long. */
export const AGENT_OPTIONS: AgentOptions = {
  keepAlive: true,
  keepAliveMsecs: 30_000,
  maxFreeSockets: 16,
  timeout: MOST_IDLE_MS,
};

export interface Connections {
  readonly agent: Agent;
  /** True once TCP and TLS are established. */
  isOpen(socket: Duplex): boolean;
  /** True if it was idle before it got its request, so its server may have closed it. */
  hasWaited(socket: Duplex): boolean;
  /**
   * Opens a connection that the next request to the target will use; that request reports any error. Not for agents
   * that return connections asynchronously.
   */
  prepare(target: RequestOptions): void;
  /** Closes idle connections. */
  dropIdle(): void;
  /** Closes idle connections now, and the others when their exchange is over. */
  leave(): void;
  /** Closes connections that have been idle for too long. */
  dropStale(): void;
}

/** Node's declaration says void; the documented result is whether the connection is kept. */
type KeepSocketAlive = (socket: Duplex) => boolean;

/** Watches the connections of a new agent from outside. */
export function watchConnections(agent: Agent, options: AgentOptions, now: ClientDeps["now"]): Connections {
  const open = new WeakSet<Duplex>();
  const idleSince = new WeakMap<Duplex, number>();
  const prepared = new Map<string, Socket>();
  const rest = (socket: Duplex) => {
    idleSince.set(socket, now());
    // Data that arrives now would be taken for the next answer.
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
      // Node's own agents call this without a connection, because they have returned it.
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
      // The same options that the agent itself would use; it finds TLS sessions by the key.
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
