// Connections that wait for their next request.

import type { Connection } from "./connection.ts";

const MOST_IDLE = 16;

export interface Pool {
  /** The one that has waited least: it is the least likely to be given up by its server. */
  take(key: string): Connection | undefined;
  /** `idleMs`: when to give it up; 0 for never. */
  put(key: string, connection: Connection, idleMs: number): void;
  /** Drops all. */
  clear(): void;
}

interface Idle {
  readonly key: string;
  readonly connection: Connection;
}

export function createPool(): Pool {
  /** The newest last. */
  const idle: Idle[] = [];
  const remove = (one: Idle) => {
    const at = idle.indexOf(one);
    if (at !== -1) idle.splice(at, 1);
  };
  return {
    take(key) {
      const found = idle.findLast((one) => one.key === key);
      if (found !== undefined) remove(found);
      return found?.connection;
    },
    put(key, connection, idleMs) {
      const one = { key, connection };
      const drop = () => {
        remove(one);
        connection.close();
      };
      idle.push(one);
      // Bytes that nobody asked for would be taken for the next answer.
      connection.rest({ bytes: drop, gone: drop }, idleMs);
      if (idle.length > MOST_IDLE) idle.shift()?.connection.close();
    },
    clear() {
      for (const { connection } of idle.splice(0)) connection.close();
    },
  };
}
