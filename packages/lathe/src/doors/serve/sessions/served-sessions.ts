// What a server serves: the session of this process, or any number of sessions in children.

import type { CommandName } from "../../../hosts/rpc/commands.ts";
import type { Door, DoorClient } from "../../door/door.ts";
import type { NewSession, SessionQuery, SessionRow } from "../client.ts";

/** An open session. */
export interface LiveSession {
  readonly door: Door;
  /**
   * Another process has it or is about to open it. When its door closes, the session opens again as soon as a client
   * asks for it.
   */
  readonly isElsewhere?: boolean;
}

export interface ServedSessions {
  readonly roots: readonly string[];
  /** `only` is the one session that the client may see. */
  page(
    query: SessionQuery,
    only?: string,
  ): Promise<{ readonly sessions: readonly SessionRow[]; readonly more: boolean }>;
  /** Resolves with the id of the new session. */
  create(session: NewSession): Promise<string>;
  /** Opens it if needed. Rejects with `Refused` if there is no such session or it cannot be opened. */
  open(id: string): Promise<LiveSession>;
  /** Closes its process; the journal stays. */
  close(id: string): Promise<void>;
  /** Runs a command in the session; the parameters were checked. Rejects if it would lead out of what is served. */
  command(
    id: string,
    client: DoorClient,
    name: CommandName,
    params: Readonly<Record<string, unknown>>,
  ): Promise<unknown>;
}

/** The server's own client for looking at sessions: it has no scopes and is not listed. */
export const WATCHER: DoorClient = { name: "server", kind: "program", scopes: new Set() };

/** For commands whose name is only known at run time. */
export const commandAt = (
  door: Door,
  client: DoorClient,
  name: CommandName,
  params: Readonly<Record<string, unknown>>,
): Promise<unknown> => door.command(client, name, params as never);
