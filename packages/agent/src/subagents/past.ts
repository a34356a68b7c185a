// Children that an earlier process left, from the parent's journal.

import { messageOf } from "@lathe/llm";
import { type Child, newChild, reportOf, runningReport, since } from "./child.ts";
import type { ChildSessions } from "./child-sessions.ts";
import { release } from "./life.ts";
import { type AgentRecord, NOTHING_SPENT, type Spent } from "./records.ts";
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

/** What a run that was cut had spent. Opening settles the effects that were under way; the unfinished input is abandoned. */
export function abandonedRun(
  child: Child,
  { spent }: AgentRecord,
  parent: ParentSession,
  sessions: ChildSessions,
): Spent {
  if (!parent.options.journal) return NOTHING_SPENT;
  try {
    const session = sessions.open(child);
    session.abandonUnfinishedInput();
    const lost = since(session.usage, spent);
    release(child, session);
    return lost;
  } catch (error) {
    parent.warn(`the journal of agent ${child.facts.header.agentId} cannot be opened: ${messageOf(error)}`);
    return NOTHING_SPENT;
  }
}
