// One input of a child: it waits for its turn, works, and what it did apart from its parent's files lands.

import { messageOf } from "@lathe/llm";
import type { BudgetConfig } from "../budget/ledger.ts";
import { ToolFailure } from "../contract/tool.ts";
import type { InputOutcome } from "../events/types.ts";
import type { Admission } from "./admission.ts";
import { type Child, onTopOf, since } from "./child.ts";
import type { ChildSessions } from "./child-sessions.ts";
import { land } from "./isolation.ts";
import { NOTHING_SPENT, type Spent } from "./records.ts";
import { limitTime } from "./run-limits.ts";
import { firstOf } from "./shared-start.ts";
import type { ChildSession, ParentSession } from "./types.ts";

interface Input {
  /** Undefined: the messages that wait for it. */
  readonly content: string | undefined;
  /** Undefined: it may begin at once. */
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

/** `ended`: how its input ended, or why it was not taken. */
export async function runChild(
  child: Child,
  { content, admitted, share, signal }: Input,
  { parent, sessions, admission, children }: Among,
): Promise<{ readonly ended: InputOutcome | string; readonly spent: Spent }> {
  const { deps, options, exchange } = parent;
  const { agentId } = child.facts.header;
  let isAdmitted = admitted === undefined;
  let before: Spent | undefined;
  const spent = (): Spent => (before && child.session ? since(child.session.usage, before) : NOTHING_SPENT);
  try {
    if (admitted) {
      // Whoever waits for this child waits for those that work.
      const among = (): string[] => [...children].flatMap(([id, { run, session }]) => (run && session ? [id] : []));
      const leave = exchange?.waits({ agent: agentId, of: undefined, until: "turn", among });
      await admitted.finally(leave);
    }
    isAdmitted = true;
    const session = child.session ?? sessions.open(child);
    child.session = session;
    mustKnowItsTask(child, session);
    before = session.usage;
    const { maxTurns } = child.facts;
    session.config.budget = onTopOf(share, session.spent);
    session.config.maxTurns = maxTurns > 0 ? session.usage.turns + maxTurns : 0;
    child.completion?.begin();
    const turn = child.shared?.turn(agentId);
    if (turn) await firstOf(turn, signal);
    signal.throwIfAborted();
    const stopClock = limitTime(deps, child, options.limits?.() ?? {});
    exchange?.handOver(agentId, session.mailbox);
    const text = firstText(child, content);
    child.assignment = undefined;
    const ended = await (text === undefined ? session.runQueued() : session.submit(text))
      .then((first) => land(child, session, first))
      .finally(stopClock);
    return { ended, spent: spent() };
  } catch (error) {
    return { ended: messageOf(error), spent: spent() };
  } finally {
    if (isAdmitted) admission.leave();
    child.shared?.ended(agentId);
  }
}

/** One that was stopped before it began reads its assignment before anything else. */
function firstText({ assignment }: Child, content: string | undefined): string | undefined {
  if (assignment === undefined || content === undefined || content === assignment) return assignment ?? content;
  return `${assignment}\n\n${content}`;
}

/** Throws for one that had not begun when an earlier process ended: nobody kept what it was to do. */
export function mustKnowItsTask({ assignment, facts }: Child, { journal }: ChildSession): void {
  if (assignment !== undefined || journal.leaf !== null) return;
  throw new ToolFailure(
    `The agent ${facts.header.agentId} never began and does not know its assignment. Start another one with it.`,
  );
}
