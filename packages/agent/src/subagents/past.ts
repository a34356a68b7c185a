// Children that an earlier process left, from the parent's journal.

import { messageOf } from "@lathe/llm";
import { type Child, newChild, reportOf, runningReport, since } from "./child.ts";
import type { ChildSessions } from "./child-sessions.ts";
import { release } from "./life.ts";
import { type AgentRecord, NOTHING_SPENT, type RunOutcome, type Spent } from "./records.ts";
import type { ParentSession } from "./types.ts";

export function rememberedChild({ intent, outcome, spent, endedAt, ...facts }: AgentRecord): Child {
  const child = newChild(facts, undefined, undefined);
  child.spent = spent;
  if (!outcome) return child;
  const { isAborted, report: _message, ...shown } = outcome;
  child.state = isAborted ? "aborted" : "parked";
  child.ended = { outcomeId: intent.for, endedAt, startedAt: endedAt - (outcome.durationMs ?? 0) };
  child.report = { ...runningReport(facts), ...shown };
  child.done = Promise.resolve(reportOf(child));
  return child;
}

/** Opening settles the effects that were under way; the unfinished input is abandoned. */
export function cutRun(
  parent: ParentSession,
  sessions: ChildSessions,
  child: Child,
  { spent }: AgentRecord,
): { readonly outcome: RunOutcome; readonly lost: Spent } {
  const { agentId } = child.facts.header;
  let lost = NOTHING_SPENT;
  // Without its assignment it could do nothing with a message.
  let hasBegun = true;
  if (parent.options.journal) {
    try {
      const session = sessions.open(child);
      session.abandonUnfinishedInput();
      lost = since(session.usage, spent);
      hasBegun = session.journal.leaf !== null;
      release(child, session);
    } catch (error) {
      parent.warn(`the journal of agent ${agentId} cannot be opened: ${messageOf(error)}`);
    }
  }
  const left = child.facts.isIsolated ? parent.options.leftBy?.(agentId) : undefined;
  const outcome: RunOutcome = {
    agentId,
    status: "failed",
    output: [hasBegun ? "interrupted" : "interrupted before it began", ...(left === undefined ? [] : [left])].join(
      "\n\n",
    ),
    turnsUsed: lost.turns,
    ...(hasBegun ? {} : { isAborted: true }),
    ...(child.facts.isReported ? { report: parent.journal.newId() } : {}),
  };
  return { outcome, lost };
}
