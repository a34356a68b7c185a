// `/serve`: shares the session of this terminal through a server and a local door in this process.

import { renderUnicodeCompact } from "uqr";
import type { Invitation } from "../../conversation/commands/serve-command.ts";
import type { Conversation } from "../../conversation/conversation.ts";
import type { SharedPerson } from "../../conversation/shared-person.ts";
import { homePaths } from "../../platform/home/paths.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import { journalName } from "../../sessions/list.ts";
import { openConversationDoor } from "../door/conversation-door.ts";
import type { SharedDoor } from "../door/shared-door.ts";
import type { RunningServer } from "../http/guarded.ts";
import { listenLocally } from "../local/listen.ts";
import { SCOPES, TokenFile } from "./guard/token-file.ts";
import { OneSession } from "./one-session.ts";
import { startServer } from "./server.ts";
import { signInLink } from "./sign-in-link.ts";

const TELL_WITHIN_MS = 1_000;

export interface HereOptions {
  readonly machine: Machine;
  readonly version: string;
  readonly conversation: Conversation;
  readonly person: SharedPerson;
  /** A door that is already open; closing the server leaves it open. */
  readonly door?: SharedDoor | undefined;
}

export interface OpenedToOthers {
  invite(): Promise<Invitation>;
  /** Stops sharing; the session goes on. */
  close(): Promise<void>;
}

export async function openToOthers(options: HereOptions): Promise<OpenedToOthers> {
  const { machine, version, conversation, person } = options;
  const { deps, pid, env, userHome } = machine;
  const paths = homePaths(env, userHome);
  const tokens = new TokenFile(paths.serveTokens, deps.now);
  const row = (): { title: string; cwd: string } => ({
    title: journalName(conversation.session.journal) ?? "New session",
    cwd: conversation.workspace.cwd,
  });
  const door = options.door ?? (await openConversationDoor({ conversation, person, deps }));
  const closeDoor = async (): Promise<void> => {
    if (!options.door) await door.close();
  };
  const sessions = new OneSession(door, row, deps.now);
  let server: RunningServer;
  try {
    if (!options.door) await listenLocally(door, { folder: paths.doors, pid, cwd: conversation.workspace.cwd });
    // On loopback only; other addresses need a certificate, and `lathe serve`.
    server = await startServer({ version, host: "127.0.0.1", port: 0, tokens, sessions, deps });
  } catch (error) {
    await closeDoor();
    throw error;
  }
  return {
    invite: async () => {
      const link = await signInLink(server.url, tokens, { scopes: SCOPES, session: door.sessionId });
      return { link, code: renderUnicodeCompact(link) };
    },
    close: async () => {
      await closeDoor();
      // A client that does not read must not delay the terminal.
      const late = new Promise<void>((resolve) => deps.setTimer(resolve, TELL_WITHIN_MS));
      await Promise.race([sessions.unread(), late]);
      // Let the last frames be written before the server closes its connections.
      await new Promise((resolve) => setImmediate(resolve));
      await server.close();
    },
  };
}
