// Reports a review to people and to programs, and chooses the exit code.

import { visibleText } from "@lathe/agent/base";
import type { Usage } from "@lathe/llm";
import { EXIT, type ExitCode } from "../../platform/usage/exit.ts";
import { countOf, dollars, tokens } from "../../sessions/numbers.ts";
import type { Change, ConfirmedFinding, DroppedFinding, DropReason, LensOutcome, Review } from "./types.ts";

export function changeLine({ title, files }: Change): string {
  const sum = (key: "added" | "removed"): number => files.reduce((all, file) => all + (file[key] ?? 0), 0);
  return `${title} (${countOf(files.length, "file")}, +${sum("added")} -${sum("removed")})`;
}

export const nothingLine = ({ title }: Change): string =>
  title === "uncommitted changes"
    ? "There is nothing to review: no uncommitted changes, and nothing that the upstream or main branch does not have."
    : `There is nothing to review: ${title} changes no files.`;

const NO_USAGE = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };

/** The review of a change without files. */
export const nothingToReview = (change: Change): Review => ({
  change,
  view: "none",
  findings: [],
  dropped: [],
  lenses: [],
  usage: NO_USAGE,
  cost: 0,
});

/** Whether all lenses and critics completed, and every finding has a verdict. */
const isComplete = ({ lenses, dropped }: Review): boolean =>
  lenses.every(({ status }) => status === "completed") && dropped.every(({ dropped: why }) => why !== "no_verdict");

/**
 * As with linters, 0 means no findings and 1 means findings. An incomplete review without findings must not look clean.
 */
export function exitCodeOf(review: Review): ExitCode {
  if (review.findings.length > 0) return EXIT.failed;
  if (isComplete(review)) return EXIT.done;
  return review.lenses.some(({ isOutOfBudget }) => isOutOfBudget) ? EXIT.budget : EXIT.provider;
}

const DROPPED: Readonly<Record<DropReason, string>> = {
  false_quote: "with a quote that is not in the file",
  no_place: "without a location in the reviewed files",
  duplicate: "reported twice",
  refuted: "not confirmed by the critic",
  no_verdict: "without a verdict from the critic",
};

/**
 * Findings are numbered so that the user can ask for a fix by number. `columns` is the width of the screen; absent,
 * lines have no limit.
 */
export function reviewText(review: Review, columns = Number.POSITIVE_INFINITY): string {
  const { change, findings, lenses } = review;
  const head = `Review of ${changeLine(change)}: ${verdictOf(review)}.`;
  const blocks = findings.map(({ path, line, quote, priority, title, body, lenses: by, reason }, i) =>
    [
      `${i + 1}. [${priority}] ${title}`,
      `   ${path}:${line}  (${by.join(", ")})`,
      ...quote.split("\n").map((text) => `   > ${text.trim()}`),
      ...indentText(body, columns),
      ...indentText(`Confirmed: ${reason}`, columns),
    ].join("\n"),
  );
  const notes = [
    ...lenses.flatMap(({ name, status, why }) => (status === "failed" ? [`Not complete: ${name} failed: ${why}`] : [])),
    ...unjudgedLines(review),
    ...droppedLine(review),
  ];
  const text = [head, ...blocks, ...(notes.length > 0 ? [notes.join("\n")] : [])].join("\n\n");
  // The text contains parts from files and models; control characters must not reach the terminal.
  return `${visibleText(text)}\n`;
}

function verdictOf(review: Review): string {
  const { findings, dropped } = review;
  const found = findings.length === 0 ? "no findings" : countOf(findings.length, "finding");
  const open = dropped.filter(({ dropped: why }) => why === "no_verdict").length;
  const judged = open === 0 ? found : `${found}, ${open} not judged`;
  return isComplete(review) ? judged : `incomplete, ${judged}`;
}

const INDENT = "   ";

function indentText(text: string, columns: number): string[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.flatMap((line) => wrapLine(line.trim(), columns - INDENT.length)).map((line) => INDENT + line);
}

/** Wraps at spaces; a longer word stays whole. */
function wrapLine(line: string, width: number): string[] {
  const rows: string[] = [];
  for (const word of line.split(" ")) {
    const last = rows.at(-1);
    if (last !== undefined && last.length + 1 + word.length < width) rows[rows.length - 1] = `${last} ${word}`;
    else rows.push(word);
  }
  return rows;
}

export const costLine = ({ usage, cost, view }: Review): string =>
  `${tokens(usage.totalTokens)} tokens, ${dollars(cost)}; ${view === "none" ? "no isolated copy is possible here, so reviewers had read-only tools" : `reviewers worked in an isolated copy (${view})`}.`;

/** Findings that only lack the critic's verdict; the user should look at them. */
function unjudgedLines({ dropped }: Review): string[] {
  return dropped
    .filter(({ dropped: why }) => why === "no_verdict")
    .map(({ priority, title, path, line }) => `Not judged: [${priority}] ${path}:${line} ${title}`);
}

function droppedLine({ dropped }: Review): string[] {
  const parts = (Object.keys(DROPPED) as DropReason[]).flatMap((reason) => {
    const count = dropped.filter((one) => one.dropped === reason).length;
    return count === 0 ? [] : [`${count} ${DROPPED[reason]}`];
  });
  return parts.length === 0 ? [] : [`Left out: ${parts.join(", ")}.`];
}

/** A review for programs; published as `schemas/review.json`. */
export interface ReviewReport {
  readonly type: "review";
  /** `incomplete`: a lens or a critic failed, or a finding has no verdict; the other findings are included. */
  readonly status: "clean" | "findings" | "incomplete";
  readonly exitCode: number;
  readonly range: string;
  readonly base: string;
  /** Null: the files on disk. */
  readonly end: string | null;
  readonly files: readonly { readonly path: string; readonly added: number | null; readonly removed: number | null }[];
  readonly view: string;
  readonly findings: readonly ConfirmedFinding[];
  readonly dropped: readonly DroppedFinding[];
  readonly lenses: readonly Omit<LensOutcome, "isOutOfBudget">[];
  readonly usage: Usage;
  /** In US dollars. */
  readonly cost: number;
  readonly sessionId: string | null;
}

export function reviewReport(review: Review, sessionId: string | null): ReviewReport {
  const { change, view, findings, dropped, lenses, usage, cost } = review;
  return {
    type: "review",
    status: isComplete(review) ? (findings.length > 0 ? "findings" : "clean") : "incomplete",
    exitCode: exitCodeOf(review),
    range: change.title,
    base: change.base,
    end: change.end ?? null,
    files: change.files.map(({ path, added, removed }) => ({ path, added: added ?? null, removed: removed ?? null })),
    view,
    findings,
    dropped,
    lenses: lenses.map(({ isOutOfBudget: _, ...outcome }) => outcome),
    usage,
    cost,
    sessionId,
  };
}
