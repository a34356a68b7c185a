// What a server serves: one session of this process, or any number of them in children.

import type { CommandName } from "../../../hosts/rpc/commands.ts";
import type { Door, DoorClient } from "../../door/door.ts";
import type { NewSession, SessionQuery, SessionRow } from "../client.ts";

/** A session that is open. */
export interface LiveSession {
  readonly door: Door;
  /** Another process holds it, or is about to. When the door closes, the session goes on as soon as a client asks for it. */
  readonly isElsewhere?: boolean;
}

export interface ServedSessions {
  readonly roots: readonly string[];
  /** `only`: the one session that the client may see. */
  page(
    query: SessionQuery,
    only?: string,
  ): Promise<{ readonly sessions: readonly SessionRow[]; readonly more: boolean }>;
  /** Resolves with the id of the new session. */
  create(session: NewSession): Promise<string>;
  /** Opens it if it is not open. Rejects with `Refused` when there is none, or it cannot be opened. */
  open(id: string): Promise<LiveSession>;
  /** Closes it to its journal. */
  close(id: string): Promise<void>;
  /** Runs a command of the open or saved session; the parameters fit its definition. Rejects when it would leave what is served. */
  command(
    id: string,
    client: DoorClient,
    name: CommandName,
    params: Readonly<Record<string, unknown>>,
  ): Promise<unknown>;
}

/** The server itself, when it looks at a session: it may do nothing and is shown to nobody. */
export const WATCHER: DoorClient = { name: "server", kind: "program", scopes: new Set() };

/** Any command, by a name that is known only when it runs. */
export const commandAt = (
  door: Door,
  client: DoorClient,
  name: CommandName,
  params: Readonly<Record<string, unknown>>,
): Promise<unknown> => door.command(client, name, params as never);
