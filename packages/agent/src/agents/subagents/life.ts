// A child that is not at work costs nothing: its session is closed, and everything else is in the journals.

import { ToolFailure } from "../../contract/tool.ts";
import type { Journal } from "../../record/journal/journal.ts";
import { type Child, reportOf } from "./child.ts";
import type { ParentSession } from "./parent.ts";
import { outputOf } from "./records.ts";
import type { ChildSession } from "./types.ts";

/** Drops everything that the journals have. */
export function park(child: Child, journal: Journal): void {
  const { session, ended } = child;
  if (child.state !== "idle" || !session || !ended) return;
  const { outcomeId } = ended;
  child.state = "parked";
  const { output: _kept, ...report } = child.report;
  child.report = Object.defineProperty(report, "output", {
    enumerable: true,
    get: () => (journal.has(outcomeId) ? outputOf(journal, outcomeId) : ""),
  }) as Child["report"];
  child.done = Promise.resolve(reportOf(child));
  release(child, session);
}

export function release(child: Child, session: ChildSession): void {
  child.session = undefined;
  child.idleTimer = undefined;
  child.type = undefined;
  child.completion = undefined;
  child.shared = undefined;
  child.isolation = undefined;
  child.closing = session.close().then(() => {
    child.closing = undefined;
  });
}

/** Reads the child's journal, whether it has a session or not. */
export async function readJournal<T>(child: Child, parent: ParentSession, read: (journal: Journal) => T): Promise<T> {
  if (child.session) return read(child.session.journal);
  await child.closing;
  const { header } = child.facts;
  const journal = parent.options.journal?.(header);
  if (!journal) throw new ToolFailure(`No journal was kept of the agent ${header.agentId}.`);
  try {
    return read(journal);
  } finally {
    await journal.close();
  }
}
