// One input of a child: it waits for its turn and works, and the work of an isolated child lands.

import { messageOf } from "@lathe/llm";
import type { BudgetConfig } from "../../base/budget/ledger.ts";
import type { InputOutcome } from "../../contract/events/types.ts";
import type { Admission } from "./admission.ts";
import { type Child, raiseBySpent, since } from "./child.ts";
import type { ChildSessions } from "./child-sessions.ts";
import { land } from "./isolation.ts";
import type { ParentSession } from "./parent.ts";
import { NOTHING_SPENT, type Spent } from "./records.ts";
import { limitTime } from "./run-limits.ts";
import { firstOf } from "./shared-start.ts";

interface Input {
  /** Undefined if waiting messages start the run. */
  readonly content: string | undefined;
  /** Resolves when it may begin; undefined if it may begin at once. */
  readonly admitted: Promise<void> | undefined;
  readonly share: BudgetConfig;
  readonly signal: AbortSignal;
}

interface Among {
  readonly parent: ParentSession;
  readonly sessions: ChildSessions;
  readonly admission: Admission;
  readonly children: ReadonlyMap<string, Child>;
}

/** `ended`: how its input ended, or why it was not accepted. */
export async function runChild(
  child: Child,
  { content, admitted, share, signal }: Input,
  { parent, sessions, admission, children }: Among,
): Promise<{ readonly ended: InputOutcome | string; readonly spent: Spent }> {
  const { deps, options, exchange } = parent;
  const { agentId } = child.facts.header;
  let isAdmitted = admitted === undefined;
  let before: Spent | undefined;
  const spentSoFar = (): Spent => (before && child.session ? since(child.session.usage, before) : NOTHING_SPENT);
  try {
    if (admitted) {
      // An agent that waits for this child waits for the ones at work.
      const among = (): string[] => [...children].flatMap(([id, { run, session }]) => (run && session ? [id] : []));
      const leave = exchange?.waits({ agent: agentId, of: undefined, until: "turn", among });
      await admitted.finally(leave);
    }
    isAdmitted = true;
    const session = child.session ?? sessions.open(child);
    child.session = session;
    before = session.usage;
    const { maxTurns } = child.facts;
    session.config.budget = raiseBySpent(share, session.spent, session.usage.uncertain);
    session.config.maxTurns = maxTurns > 0 ? session.usage.turns + maxTurns : 0;
    child.completion?.begin();
    const turn = child.shared?.turn(agentId);
    if (turn) await firstOf(turn, signal);
    signal.throwIfAborted();
    const stopClock = limitTime(deps, child, options.limits?.() ?? {});
    exchange?.handOver(agentId, session.mailbox);
    const ended = await (content === undefined ? session.runQueued() : session.submit(content))
      .then((first) => land(child, session, first))
      .finally(stopClock);
    return { ended, spent: spentSoFar() };
  } catch (error) {
    return { ended: messageOf(error), spent: spentSoFar() };
  } finally {
    if (isAdmitted) admission.leave();
    child.shared?.endChild(agentId);
  }
}
