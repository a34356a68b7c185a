// The single session that `/serve` shares: clients cannot replace it, and it ends with its terminal.

import type { CommandName } from "../../hosts/rpc/commands.ts";
import type { Door, DoorClient } from "../door/door.ts";
import { Refused } from "../http/refused.ts";
import type { SessionQuery, SessionRow } from "./client.ts";
import { commandAt, type LiveSession, type ServedSessions } from "./sessions/served-sessions.ts";

/** These would switch to a session of another folder. */
const LEAVING: ReadonlySet<CommandName> = new Set(["switch_session", "move_session"]);

/** Tells when its last stream has ended. */
class LastingSession implements LiveSession {
  readonly door: Door;
  lastUsed: number;
  onUnread: () => void = () => {};
  #followers = 0;

  constructor(door: Door, now: number) {
    this.door = door;
    this.lastUsed = now;
  }

  get followers(): number {
    return this.#followers;
  }
  set followers(count: number) {
    this.#followers = count;
    if (count === 0) this.onUnread();
  }
}

export class OneSession implements ServedSessions {
  readonly #live: LastingSession;
  readonly #row: () => Pick<SessionRow, "title" | "cwd">;
  readonly #now: () => number;

  constructor(door: Door, row: () => Pick<SessionRow, "title" | "cwd">, now: () => number) {
    this.#live = new LastingSession(door, now());
    this.#row = row;
    this.#now = now;
  }

  /** Resolves when no stream is open any more, so that every client got the last frame. */
  unread(): Promise<void> {
    return new Promise((resolve) => {
      this.#live.onUnread = resolve;
      if (this.#live.followers === 0) resolve();
    });
  }

  /** No sessions can be started here. */
  readonly roots: readonly string[] = [];

  async page(_query: SessionQuery, only?: string): ReturnType<ServedSessions["page"]> {
    const { door } = this.#live;
    if (only !== undefined && only !== door.sessionId) return { sessions: [], more: false };
    const updatedAt = new Date(this.#now()).toISOString();
    const life = { live: true, busy: door.isBusy, questions: door.questions.length };
    return { sessions: [{ id: door.sessionId, ...this.#row(), updatedAt, ...life }], more: false };
  }

  async create(): Promise<string> {
    throw new Refused(403, "one_session", "This terminal serves its own session only. For more: lathe serve");
  }

  async open(id: string): Promise<LiveSession> {
    if (id === this.#live.door.sessionId) return this.#live;
    throw new Refused(404, "unknown_session", "There is no such session here.");
  }

  async close(): Promise<void> {
    throw new Refused(403, "one_session", "The session belongs to a terminal. Close it there.");
  }

  async command(
    id: string,
    client: DoorClient,
    name: CommandName,
    params: Readonly<Record<string, unknown>>,
  ): Promise<unknown> {
    const { door } = await this.open(id);
    if (LEAVING.has(name) || params["parentSession"] !== undefined)
      throw new Refused(403, "one_session", `${name} is not possible in a session of a terminal.`);
    return commandAt(door, client, name, params);
  }
}
