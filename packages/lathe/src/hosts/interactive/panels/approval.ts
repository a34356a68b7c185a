// The approval question: everything a call would do, why it is asked about, what it touches, and the possible answers.

import { relative } from "node:path";
import type { Access, PreviewLine } from "@lathe/agent";
import { diffRows, fileDiffs, type Row, type Style, visible, visibleLine, wrap } from "@lathe/tui";
import { approvalTitle } from "../../../conversation/approval-title.ts";
import type { ApprovalQuestion, ApprovalReply } from "../../../conversation/approvals.ts";
import { widerAnswers } from "../../../conversation/wider-answers.ts";
import { shownPath } from "../../../platform/home/shown-path.ts";
import { denialOf } from "../plain/answers.ts";
import type { AnswerOption } from "./answer-panel.ts";
import type { QuestionBody } from "./question-body.ts";

const STYLES: Readonly<Record<NonNullable<PreviewLine["kind"]>, Style>> = {
  added: { color: "toolDiffAdded" },
  removed: { color: "toolDiffRemoved" },
  note: { color: "muted" },
  question: { bold: true },
  heading: { bold: true },
};

/** Starts every row of a command, so that wrapped text cannot look like something else. */
const BAR = "│ ";
const INDENT = "    ";

/** The folders from which the paths of a question are shown. */
export interface Surroundings {
  readonly cwd: string;
  readonly userHome: string;
}

export function approvalBody(question: ApprovalQuestion, around: Surroundings, columns: number): QuestionBody {
  const { preview, reason, access = [] } = question;
  const { text: title, covers, hosts } = approvalTitle(question, around.userHome);
  const shown = preview.filter((line) => line !== covers);
  const unnamed = access.filter((one) => one.kind !== "network" || !hosts?.has(one.host));
  const touched = touches(unnamed, preview, around);
  return {
    title: wrap([{ text: title, style: { color: "warning", bold: true } }], columns),
    reason:
      reason === undefined ? [] : indentRows(`Asked because: ${visibleLine(reason)}`, columns, { color: "warning" }),
    subject: bodyRows(shown, columns),
    notes: touched === "" ? [] : indentRows(`Also: ${touched}`, columns, { color: "muted" }),
  };
}

const LETTERS = { pattern: { letter: "p", short: "like" }, tool: { letter: "a", short: "all" } } as const;

export function approvalOptions(question: ApprovalQuestion): AnswerOption<ApprovalReply>[] {
  const wider = widerAnswers(question).map(
    ({ width, words }): AnswerOption<ApprovalReply> => ({
      ...LETTERS[width],
      label: `Yes, and ${words}`,
      isConsent: true,
      answer: () => ({ decision: "allow", remember: width, by: "user" }),
    }),
  );
  return [
    {
      letter: "y",
      label: "Yes, this once",
      short: "yes",
      isConsent: true,
      answer: () => ({ decision: "allow", by: "user" }),
    },
    ...wider,
    { letter: "n", label: "No", short: "no", answer: () => denialOf() },
    {
      letter: "w",
      label: "No, and say what to do instead",
      short: "say",
      words: "What should Lathe do instead?",
      answer: denialOf,
    },
  ];
}

const HUNK = /^@@ -\d+(,\d+)? \+\d+(,\d+)? @@/;
const isOfHunk = ({ text, kind }: PreviewLine): boolean =>
  kind === "added" || kind === "removed" || (kind === undefined && /^[ \\]/.test(text));

/** Shows hunks as the card of the call will; text that is not one complete hunk is shown as it is. */
function bodyRows(preview: readonly PreviewLine[], columns: number): Row[] {
  const rows: Row[] = [];
  for (let at = 0; at < preview.length; ) {
    const line = preview[at] as PreviewLine;
    const end = preview.findIndex((later, index) => index > at && !isOfHunk(later));
    const hunk = preview.slice(at, end < 0 ? preview.length : end);
    const isHunk = line.kind === undefined && HUNK.test(line.text) && holdsAll(hunk);
    if (isHunk) {
      const text = hunk.map(({ text: one }) => one).join("\n");
      for (const { spans } of diffRows(text, columns - INDENT.length))
        rows.push({ spans: [{ text: INDENT }, ...spans] });
    } else rows.push(...previewRows(line, columns));
    at += isHunk ? hunk.length : 1;
  }
  return rows;
}

/** Whether every line of the hunk would be drawn: nothing may be missing from what a user approves. */
function holdsAll(hunk: readonly PreviewLine[]): boolean {
  const lines = hunk.slice(1).map(({ text }) => text);
  if (lines.some((text) => text.includes("\n") || text.startsWith("\\"))) return false;
  const diffs = fileDiffs(hunk.map(({ text }) => text).join("\n"));
  const drawn = diffs.flatMap(({ hunks }) => hunks.flat());
  return (
    diffs.length === 1 && drawn.length === lines.length && drawn.every(({ text }, i) => lines[i]?.slice(1) === text)
  );
}

function previewRows({ text, kind }: PreviewLine, columns: number): Row[] {
  return indentRows(visible(text), columns, kind === undefined ? {} : STYLES[kind]);
}

/** Indented rows cannot be mistaken for the question or an answer, which start at the left edge. */
function indentRows(text: string, columns: number, style: Style): Row[] {
  const mark = text.startsWith(BAR) ? BAR : "";
  return text
    .slice(mark.length)
    .split("\n")
    .flatMap((line) =>
      wrap([{ text: line, style }], columns, {
        first: [{ text: `${INDENT}${mark}`, style: { color: "muted" } }],
        rest: [{ text: `${INDENT}${mark || "  "}`, style: { color: "muted" } }],
        anywhere: true,
      }),
    );
}

const MOST_NAMED = 6;

/** What the preview does not show. It already shows the command and the changed files. */
function touches(access: readonly Access[], preview: readonly PreviewLine[], { cwd, userHome }: Surroundings): string {
  const near = (path: string): string => {
    const below = relative(cwd, path);
    return visibleLine(below === "" ? "." : below.startsWith("..") ? shownPath(path, userHome) : below);
  };
  const named = preview.filter(({ kind }) => kind === "heading").map(({ text }) => text);
  const isNamed = (path: string): boolean =>
    named.some((text) => [path, near(path)].some((one) => text.endsWith(` ${one}`) || text.includes(` ${one} to `)));
  const unseen = access.filter(
    (one) => one.kind !== "exec" && !((one.kind === "write" || one.kind === "read") && isNamed(one.path)),
  );
  const parts = unseen.flatMap((one): string | [] => {
    if (one.kind === "exec") return [];
    if (one.kind === "secret") return `uses the secret ${visibleLine(one.name)}`;
    if (one.kind === "network") return `connects to ${visibleLine(one.host)}`;
    if (one.kind === "address") return `${one.write ? "writes" : "reads"} ${visibleLine(one.url)}`;
    return `${one.kind === "read" ? "reads" : "writes"} ${near(one.path)}`;
  });
  const unique = [...new Set(parts)];
  const more = unique.length - MOST_NAMED;
  return `${unique.slice(0, MOST_NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
