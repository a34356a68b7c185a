// The question whether a call may run: everything it would do, why it is asked about, what it touches, and the answers that the
// conversation offers.

import { relative } from "node:path";
import type { Access, PreviewLine } from "@lathe/agent";
import { EMPTY_ROW, type Row, type Style, visible, visibleLine, wrap } from "@lathe/tui";
import type { ApprovalQuestion, ApprovalReply } from "../../../conversation/approvals.ts";
import { denied } from "../plain/answers.ts";
import type { AnswerOption } from "./answer-panel.ts";

const STYLES: Readonly<Record<NonNullable<PreviewLine["kind"]>, Style>> = {
  added: { color: "toolDiffAdded" },
  removed: { color: "toolDiffRemoved" },
  note: { color: "muted" },
  heading: { bold: true },
};

/** Before each line of a command. Every row of it has it: text that wraps must not look like something else. */
const BAR = "│ ";
const INDENT = "    ";

export function approvalRows(question: ApprovalQuestion, cwd: string, columns: number): Row[] {
  const { tool_name: tool, preview, reason, access, agentId } = question;
  const whose = agentId === undefined ? "" : ` (agent ${agentId})`;
  const title = `Allow this ${visibleLine(tool)} call${whose}?`;
  const touched = access === undefined ? "" : touches(access, cwd);
  return [
    ...wrap([{ text: title, style: { color: "warning", bold: true } }], columns),
    ...(reason === undefined ? [] : indented(`Asked because: ${visibleLine(reason)}`, columns, { color: "warning" })),
    ...preview.flatMap((line) => previewRows(line, columns)),
    ...(touched === "" ? [] : indented(`Touches: ${touched}`, columns, { color: "muted" })),
    EMPTY_ROW,
  ];
}

export function approvalOptions({ tool_name: tool, canAllowAlways }: ApprovalQuestion): AnswerOption<ApprovalReply>[] {
  return [
    { letter: "y", label: "Yes, this once", answer: () => ({ decision: "allow", by: "user" }) },
    ...(canAllowAlways
      ? [
          {
            letter: "a",
            label: `Yes, and every later ${tool} call inside this project`,
            answer: (): ApprovalReply => ({ decision: "always", by: "user" }),
          },
        ]
      : []),
    { letter: "n", label: "No", answer: () => denied() },
    { letter: "w", label: "No, and say what to do instead", words: "What should be done instead?", answer: denied },
  ];
}

function previewRows({ text, kind }: PreviewLine, columns: number): Row[] {
  return indented(visible(text), columns, kind === undefined ? {} : STYLES[kind]);
}

/** Rows that nobody can mistake for the question or an answer, which begin at the left edge. */
function indented(text: string, columns: number, style: Style): Row[] {
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

function touches(access: readonly Access[], cwd: string): string {
  const near = (path: string): string => {
    const below = relative(cwd, path);
    return visibleLine(below === "" ? "." : below.startsWith("..") ? path : below);
  };
  const parts = access.map((one): string => {
    if (one.kind === "exec") return `runs a command in ${near(one.cwd)}`;
    if (one.kind === "network") return `connects to ${visibleLine(one.host)}`;
    if (one.kind === "address") return `${one.write ? "writes" : "reads"} ${visibleLine(one.url)}`;
    return `${one.kind === "read" ? "reads" : "writes"} ${near(one.path)}`;
  });
  const unique = [...new Set(parts)];
  const more = unique.length - MOST_NAMED;
  return `${unique.slice(0, MOST_NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
