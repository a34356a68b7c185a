// What happens when an editor wants a session that another process has open. An idle session of a server is closed
// there, so that the editor's process can open it; the server's own clients then join it here. Any other process keeps
// its session.

import { messageOf } from "@lathe/llm";
import { homePaths } from "../../platform/home/paths.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import { usageError } from "../../platform/usage/exit.ts";
import type { OpenedJournal } from "../../sessions/journals/journal-files.ts";
import { SessionHeld } from "../../sessions/which-journal.ts";
import type { DoorClient } from "../door/door.ts";
import { joinLocally } from "../local/local-door.ts";

const EDITOR: DoorClient = { name: "an editor", kind: "editor", scopes: new Set() };

export function heldOrOpen(path: string, open: () => OpenedJournal): OpenedJournal {
  try {
    return open();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "locked") throw error;
    throw new SessionHeld(path, messageOf(error), error);
  }
}

/** Rejects with a one-line reason if the other process keeps the session. */
export async function releaseHeld(sessionId: string, { env, userHome }: Machine): Promise<void> {
  const door = await joinLocally(homePaths(env, userHome).doors, sessionId, EDITOR);
  if (!door)
    throw usageError(
      `Session ${sessionId} is open in another process, which an editor cannot join. Close it there, or continue in a copy (session/fork).`,
    );
  try {
    await door.release(EDITOR);
  } catch (error) {
    const id = sessionId.slice(0, 8);
    throw usageError(
      `Session ${sessionId} stays open in another process: ${messageOf(error)} An editor cannot join it; follow it in a terminal with lathe attach ${id}, or continue in a copy (session/fork).`,
    );
  } finally {
    await door.close();
  }
}
