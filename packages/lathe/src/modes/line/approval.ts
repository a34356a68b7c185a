// What a person is shown before they allow a call: everything it would do, in lines that the session has made fit to be shown.

import type { EventData, PreviewLine } from "@lathe/agent";
import type { Style } from "./printer.ts";
import { widthOf } from "./width.ts";

/** Lines to show above the question, what is left of them, and the question. */
export interface ApprovalText {
  readonly above: readonly StyledLine[];
  /** Shown when the person asks for it. */
  readonly rest: readonly StyledLine[];
  readonly question: string;
}

export interface StyledLine {
  readonly text: string;
  readonly style?: Style;
}

const MOST_LINES = 200;
const ANSWERS = "? [y/N/always] ";

const STYLES: Readonly<Partial<Record<NonNullable<PreviewLine["kind"]>, Style>>> = {
  added: "green",
  removed: "red",
  note: "dim",
  heading: "bold",
};

export function approvalText(
  { tool_name: tool, preview, reason }: EventData["approval_request"],
  whose: string,
  columns: number,
): ApprovalText {
  const [only] = preview;
  const short = `Allow ${tool} ${only?.text ?? ""}${whose}${ANSWERS}`;
  const isPlain = only?.kind === undefined || only.kind === "note";
  if (preview.length <= 1 && isPlain && reason === undefined && widthOf(short) < columns) {
    return { above: [], rest: [], question: short };
  }
  const lines = preview.map(styled);
  const rest = lines.slice(MOST_LINES);
  return {
    above: [
      { text: `${tool}${whose}:` },
      ...(reason === undefined ? [] : [{ text: reason, style: "yellow" as const }]),
      ...lines.slice(0, MOST_LINES),
      ...(rest.length > 0 ? [{ text: `    … ${rest.length} more lines: answer v to see them` }] : []),
    ],
    rest,
    question: `Allow this${ANSWERS}`,
  };
}

function styled({ text, kind }: PreviewLine): StyledLine {
  const style = kind && STYLES[kind];
  return { text: `    ${text}`, ...(style ? { style } : {}) };
}
