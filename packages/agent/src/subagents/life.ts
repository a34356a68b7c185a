// A child that is not at work costs nothing: its session is closed, and what is left of it is in the journals.

import type { Journal } from "../journal/journal.ts";
import { type Child, reportOf } from "./child.ts";
import { outputOf } from "./records.ts";
import type { ChildSession } from "./types.ts";

/** What is left is in the journals. */
export function park(child: Child, journal: Journal, outcomeId: string): void {
  const { session } = child;
  if (child.state !== "idle" || !session) return;
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
