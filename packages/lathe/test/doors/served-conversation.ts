// A conversation in the test's process that others can join through its local door, with a terminal that joins it.

import { join } from "node:path";
import { defaultDeps } from "@lathe/llm";
import { call } from "@lathe/testkit";
import { type AskedClient, SharedPerson } from "../../src/conversation/shared-person.ts";
import { openConversationDoor } from "../../src/doors/door/conversation-door.ts";
import type { SharedDoor } from "../../src/doors/door/shared-door.ts";
import { type LocalDoorServer, listenLocally } from "../../src/doors/local/listen.ts";
import type { Sandbox } from "../command.ts";
import { conversation, type Talk } from "../conversation-kit.ts";
import { InsideTerminal } from "../terminal.ts";

export interface ServedConversation {
  readonly talk: Talk;
  readonly door: SharedDoor;
  readonly local: LocalDoorServer;
  /** Where local doors are registered. */
  readonly folder: string;
  terminal(): InsideTerminal;
  close(): Promise<void>;
}

/** `first` is asked besides the clients. */
export async function servedConversation(first?: AskedClient): Promise<ServedConversation> {
  const person = new SharedPerson(first);
  const talk = await conversation({}, { parts: { person } });
  talk.talk.setPermissionMode("ask");
  const door = await openConversationDoor({ conversation: talk.talk, person, deps: defaultDeps() });
  const folder = join(talk.root, ".lathe-home/doors");
  const local = await listenLocally(door, { folder, pid: process.pid, cwd: talk.root });
  const terminals: InsideTerminal[] = [];
  return {
    talk,
    door,
    local,
    folder,
    terminal: () => {
      const env = {
        ...{ PATH: process.env["PATH"] ?? "", HOME: talk.root, LATHE_HOME: join(talk.root, ".lathe-home") },
        ...{ NO_COLOR: "1", LATHE_NO_TITLE: "1", ANTHROPIC_API_KEY: "k" },
      };
      const terminal = new InsideTerminal({ dir: talk.root, env } as unknown as Sandbox);
      terminals.push(terminal);
      return terminal;
    },
    close: async () => {
      for (const terminal of terminals) await terminal.close();
      await door.close();
      await talk.talk.close();
      await talk.server.close();
    },
  };
}

export const shell = (command: string) => call({ name: "shell", args: { command } });
