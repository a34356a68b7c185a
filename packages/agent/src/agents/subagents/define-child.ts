// A child as its spawn and its kind define it, before anything of it exists. No option of the spawn gives it more than
// its kind allows.

import { type Child, newChild } from "./child.ts";
import type { ChildSessions } from "./child-sessions.ts";
import type { ParentSession } from "./parent.ts";
import type { AgentFacts } from "./records.ts";
import type { SharedStart } from "./shared-start.ts";
import type { AgentType } from "./types.ts";

/** How many characters of the assignment users see. */
const SHOWN_TASK = 300;

type Wish = Pick<AgentFacts, "isReported" | "isIsolated" | "task"> &
  Partial<Pick<AgentFacts, "model" | "maxTurns" | "description">> & {
    readonly agentId: string;
    readonly cwd: string;
    readonly callId: string;
  };

/** Throws for the model if there is no such model. */
export function defineChild(
  parent: Pick<ParentSession, "journal">,
  sessions: ChildSessions,
  type: AgentType | undefined,
  shared: SharedStart | undefined,
  { agentId, cwd, callId, isReported, isIsolated, task, description, maxTurns = 0, model: wished }: Wish,
): Child {
  const model = type?.model ?? wished;
  sessions.profile(model);
  const header = { agentId, parentSession: parent.journal.header.id, parentCall: callId, cwd };
  const shown = task.length > SHOWN_TASK ? `${task.slice(0, SHOWN_TASK)}…` : task;
  const facts = { header, model, agent: type?.name, maxTurns, task: shown, description, isReported, isIsolated };
  return newChild(facts, type, shared);
}
