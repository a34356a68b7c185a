// A child's run that was cut off when an earlier process ended.

import { messageOf } from "@lathe/llm";
import { type Child, since } from "./child.ts";
import type { ChildSessions } from "./child-sessions.ts";
import { release } from "./life.ts";
import type { ParentSession } from "./parent.ts";
import { type AgentRecord, NOTHING_SPENT, type RunOutcome, type Spent } from "./records.ts";
import { unreadNote } from "./result.ts";

/** Opening the journal settles the effects that were under way; the unfinished input is abandoned. */
export function cutRun(
  parent: ParentSession,
  sessions: ChildSessions,
  child: Child,
  { spent, input }: AgentRecord,
): { readonly outcome: RunOutcome; readonly lost: Spent } {
  const { agentId } = child.facts.header;
  let lost = NOTHING_SPENT;
  if (parent.options.journal) {
    try {
      const session = sessions.open(child);
      lost = since(session.usage, spent);
      if (lost.turns === 0 && !session.hasUnfinishedInput) child.unread = input;
      session.abandonUnfinishedInput();
      release(child, session);
    } catch (error) {
      parent.warn(`the journal of agent ${agentId} cannot be opened: ${messageOf(error)}`);
    }
  }
  const left = child.facts.isIsolated ? parent.options.leftBy?.(agentId) : undefined;
  const outcome: RunOutcome = {
    agentId,
    status: "failed",
    output: [`interrupted${unreadNote(child)}`, ...(left === undefined ? [] : [left])].join("\n\n"),
    turnsUsed: lost.turns,
    ...(child.unread === undefined ? {} : { isUnread: true }),
    ...(child.facts.isReported ? { report: parent.journal.newId() } : {}),
  };
  return { outcome, lost };
}
