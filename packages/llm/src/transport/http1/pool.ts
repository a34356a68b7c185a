// Connections that wait for their next request.

import type { ClientDeps } from "../../types/adapter.ts";
import type { Connection } from "./connection.ts";

const MOST_IDLE = 16;

export interface Pool {
  /** The one that has waited least: it is the least likely to be given up by its server. */
  take(key: string): Connection | undefined;
  /** `idleMs`: when its server gives it up. */
  put(key: string, connection: Connection, idleMs: number): void;
  /** Drops all. */
  clear(): void;
}

interface Idle {
  readonly key: string;
  readonly connection: Connection;
  readonly since: number;
}

/**
 * Older ones are not trusted: while a machine sleeps or changes its network, connections die and nobody tells, and a
 * request on a dead one hangs until its timeout. By the clock on the wall, since timers sleep as well.
 */
const MOST_IDLE_MS = 60_000;

export function createPool(now: ClientDeps["now"]): Pool {
  /** The newest last. */
  const idle: Idle[] = [];
  const remove = (one: Idle) => {
    const at = idle.indexOf(one);
    if (at !== -1) idle.splice(at, 1);
  };
  return {
    take(key) {
      const found = idle.findLast((one) => one.key === key);
      if (found === undefined) return undefined;
      remove(found);
      if (now() - found.since <= MOST_IDLE_MS) return found.connection;
      found.connection.close();
      return undefined;
    },
    put(key, connection, idleMs) {
      const one = { key, connection, since: now() };
      const drop = () => {
        remove(one);
        connection.close();
      };
      idle.push(one);
      // Bytes that nobody asked for would be taken for the next answer.
      connection.rest({ bytes: drop, gone: drop }, Math.min(idleMs, MOST_IDLE_MS));
      if (idle.length > MOST_IDLE) idle.shift()?.connection.close();
    },
    clear() {
      for (const { connection } of idle.splice(0)) connection.close();
    },
  };
}
