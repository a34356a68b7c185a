// The MCP servers of a run: they stay while one session follows another, and end with the last session that uses them.

import type { ExecutionEnvironment } from "@lathe/agent";
import type { ServerManager } from "./manager.ts";
import type { PresentSession } from "./present-session.ts";

export interface SharedServers {
  /** What they were made of: with other servers or another folder, others are made. */
  readonly key: string;
  readonly manager: ServerManager;
  readonly sessions: PresentSession;
  readonly env: ExecutionEnvironment;
  users: number;
}

export class McpServers {
  readonly #running = new Set<SharedServers>();

  /** Those that were made of the same things; else `start` starts them. Given back with `leave`. */
  enter(key: string, start: () => SharedServers): SharedServers {
    const shared = [...this.#running].find((one) => one.key === key) ?? start();
    this.#running.add(shared);
    shared.users++;
    return shared;
  }

  async leave(shared: SharedServers): Promise<void> {
    shared.users--;
    if (shared.users > 0) return;
    this.#running.delete(shared);
    await shared.manager.close();
    await shared.env.cleanup();
  }
}
