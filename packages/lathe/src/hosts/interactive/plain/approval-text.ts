// What the user sees before approving a call: everything it would do, in lines that are safe to print.

import type { PreviewLine } from "@lathe/agent";
import { rowText, widthOf, wrap } from "@lathe/tui";
import type { ApprovalQuestion } from "../../../conversation/approvals.ts";
import { patternText } from "../../../conversation/wider-answers.ts";
import type { LineStyle } from "../host-view.ts";

/** Lines above the question, the lines left over, and the question. */
export interface ApprovalText {
  readonly above: readonly StyledLine[];
  /** Shown when the user asks for them. */
  readonly rest: readonly StyledLine[];
  readonly question: string;
}

export interface StyledLine {
  readonly text: string;
  readonly style?: LineStyle;
}

const MOST_LINES = 200;
const INDENT = "    ";
/** Starts every row of a command, so that wrapped text cannot look like something else. */
const BAR = "│ ";

const STYLES: Readonly<Partial<Record<NonNullable<PreviewLine["kind"]>, LineStyle>>> = {
  added: "green",
  removed: "red",
  note: "dim",
  question: "bold",
  heading: "bold",
};

/** The fields of a call that the text shows. */
export type AskedCall = Pick<ApprovalQuestion, "tool_name" | "preview" | "reason" | "offers" | "agentId">;

export function approvalText(
  { tool_name: tool, preview, reason, offers }: AskedCall,
  whose: string,
  columns: number,
): ApprovalText {
  // These answers allow a tool, not just this call, so they say so.
  const wider = [
    ...(offers.pattern ? [`p = don't ask again for ${patternText(offers.pattern)} in this project`] : []),
    ...(offers.tool ? [`always = all ${tool} calls in this session`] : []),
  ];
  const choices = (more: string): string => `? [${["y", "N", ...wider].join("/")}${more}, or what to do instead] `;
  const answers = choices("");
  const [only] = preview;
  const short = `Allow ${tool} ${only?.text ?? ""}${whose}${answers}`;
  const isPlain = only?.kind === undefined || only.kind === "note";
  if (preview.length <= 1 && isPlain && reason === undefined && widthOf(short) < columns) {
    return { above: [], rest: [], question: short };
  }
  const lines = preview.flatMap((line) => styleLines(line, columns));
  const rest = lines.slice(MOST_LINES);
  return {
    above: [
      { text: `${tool}${whose}:` },
      ...(reason === undefined ? [] : indentLines(reason, columns).map((text) => ({ text, style: "yellow" as const }))),
      ...lines.slice(0, MOST_LINES),
      ...(rest.length > 0 ? [{ text: `${INDENT}… ${rest.length} more lines: answer v to see them` }] : []),
    ],
    rest,
    question: `Allow this${choices(rest.length > 0 ? ", v = see the rest" : "")}`,
  };
}

function styleLines({ text, kind }: PreviewLine, columns: number): StyledLine[] {
  const style = kind && STYLES[kind];
  return indentLines(text, columns).map((row) => ({ text: row, ...(style ? { style } : {}) }));
}

/** Indented rows cannot be mistaken for the question or an answer, which start at the left edge. */
function indentLines(text: string, columns: number): string[] {
  const mark = text.startsWith(BAR) ? BAR : "";
  const room = Math.max(columns - INDENT.length - BAR.length, 10);
  const rows = text.slice(mark.length).split("\n");
  return rows
    .flatMap((row) => wrap([{ text: row }], room, { anywhere: true }).map(rowText))
    .map((piece, i) => `${INDENT}${mark || (i > 0 ? "  " : "")}${piece}`);
}
