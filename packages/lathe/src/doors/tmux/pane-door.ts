// The local door of a session in one of our panes, open from its start: programs control the session through it, never
// by simulated keys.

import { messageOf } from "@lathe/llm";
import type { Conversation } from "../../conversation/conversation.ts";
import type { SharedPerson } from "../../conversation/shared-person.ts";
import { homePaths } from "../../platform/home/paths.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import { openConversationDoor } from "../door/conversation-door.ts";
import type { SharedDoor } from "../door/shared-door.ts";
import { listenLocally, type TeamAnswers } from "../local/listen.ts";
import { tagPane } from "./managed-sessions.ts";
import { Tmux } from "./tmux.ts";

/** Undefined if no socket can be created; the session then runs without other clients. */
export async function openPaneDoor(
  machine: Machine,
  conversation: Conversation,
  person: SharedPerson,
  team: TeamAnswers,
): Promise<SharedDoor | undefined> {
  const { deps, pid, env, userHome, paneStarter } = machine;
  const { doors } = homePaths(env, userHome);
  const door = await openConversationDoor({ conversation, person, deps });
  try {
    await listenLocally(door, { folder: doors, pid, cwd: conversation.workspace.cwd, team });
    const tag = (): Promise<void> => tagOwnPane(env, conversation);
    door.watch(({ kind }) => {
      if (kind === "session") void tag();
    });
    await tag();
  } catch (error) {
    await door.close();
    conversation.session.warn(`Other processes cannot join this session: ${messageOf(error)}`, "local_door");
    return undefined;
  }
  paneStarter?.opened(door.sessionId);
  paneStarter?.gone.addEventListener("abort", () => void leaveWithStarter(machine, conversation));
  return door;
}

async function leaveWithStarter(machine: Machine, conversation: Conversation): Promise<void> {
  await conversation.session.interrupt();
  await keepWork(machine, conversation);
  process.kill(machine.pid, "SIGHUP");
}

/**
 * Keeps the work of a session that another process started, so that no isolated copy waits for the decision of a user
 * who has gone.
 */
export async function keepWork({ paneStarter }: Machine, { workspace }: Conversation): Promise<void> {
  const { view } = workspace;
  if (!view || (await view.changes()).isSettled) return;
  const { patch } = await view.settle("patch", async () => undefined);
  if (patch !== undefined) paneStarter?.keptPatch(patch);
}

async function tagOwnPane(env: Machine["env"], { session }: Conversation): Promise<void> {
  const { TMUX_PANE } = env;
  try {
    if (TMUX_PANE) await Tmux.around(env)?.run([...tagPane(TMUX_PANE, session.id)]);
  } catch (error) {
    session.warn(`lathe sessions list --tmux will not show this session: ${messageOf(error)}`, "tmux_tag");
  }
}
