// What an input must look like to be accepted, and what its sender learns about its end.

import type { Usage } from "@lathe/llm";
import { NO_USAGE } from "../base/budget/ledger.ts";
import type { InputContent, InputOutcome } from "../contract/events/types.ts";
import { problemWithInput } from "../contract/input-content.ts";
import type { Journal } from "../record/journal/journal.ts";
import { ENTRY_ID } from "../record/journal/line.ts";
import type { InputEnd, InputRun } from "./input-run.ts";
import { partsOf } from "./types.ts";

export const NOTHING_DONE = { text: "", finish: "", rounds: 0, usage: NO_USAGE, cost: 0 };

export function outcomeOf(run: InputRun, end: InputEnd, spent: { usage: Usage; cost: number }): InputOutcome {
  const { finish, rounds, awaits, output, verification } = run;
  const judged = output?.judged;
  const fitting = judged && "value" in judged ? judged : undefined;
  return {
    reason: end.reason,
    text: fitting?.json ?? run.text,
    ...(fitting ? { output: fitting.value } : {}),
    finish,
    rounds,
    ...spent,
    ...(awaits === undefined ? {} : { awaiting: awaits }),
    ...(verification === undefined ? {} : { verification }),
    ...(end.error === undefined ? {} : { error: end.error }),
  };
}

/**
 * The input was not accepted: it is empty, has a part that messages of the user cannot hold, or a hook refused it. The
 * message is for the user.
 */
export class InputRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = "InputRefused";
  }
}

/** No vendor accepts an empty message or a part that is not for users, and it would stay in the history forever. */
export function refuseUnusable(content: InputContent): void {
  refuseWrongParts(content);
  const isBlank = partsOf(content).every((part) => part.kind === "text" && part.text.trim() === "");
  if (isBlank) throw new InputRefused("the input is empty");
}

export function refuseWrongParts(content: InputContent): void {
  const problem = problemWithInput(content);
  if (problem !== undefined) throw new InputRefused(problem);
}

/** A host that gives its message an id wants it to be said only once. */
export function refuseKnown(journal: Pick<Journal, "has">, entryId: string | undefined): void {
  if (entryId === undefined) return;
  if (!ENTRY_ID.test(entryId)) throw new InputRefused("the message id must be at most 64 plain characters");
  if (journal.has(entryId)) throw new InputRefused(`the message ${entryId} is in the session already`);
}
