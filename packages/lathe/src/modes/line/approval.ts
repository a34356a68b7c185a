// What a person is shown before they allow a call: all that it would do, not only the first line of it.

import type { JsonObject } from "@lathe/llm";
import { printable, summary } from "./printer.ts";
import { widthOf } from "./width.ts";

/** Lines to show above the question, and the question. */
export interface ApprovalText {
  readonly above: readonly { readonly text: string; readonly style?: "red" | "green" }[];
  readonly question: string;
}

const MOST_LINES = 200;
const ANSWERS = "? [y/N/always] ";

export function approvalText(tool: string, args: JsonObject, whose: string, columns: number): ApprovalText {
  const short = `Allow ${tool} ${summary(tool, args)}${whose}${ANSWERS}`;
  const lines = detail(args);
  if (lines.length === 0 || (lines.length === 1 && !lines[0]?.style && widthOf(short) < columns))
    return { above: [], question: short };
  const hidden = lines.length - MOST_LINES;
  const path = args["file_path"] ?? args["path"];
  return {
    above: [
      { text: `${tool}${typeof path === "string" ? ` ${printable(path)}` : ""}${whose}:` },
      ...lines.slice(0, MOST_LINES).map(({ text, ...style }) => ({ text: `    ${text}`, ...style })),
      ...(hidden > 0 ? [{ text: `    … ${hidden} more lines` }] : []),
    ],
    question: `Allow this${ANSWERS}`,
  };
}

type Line = ApprovalText["above"][number];

function detail(args: JsonObject): Line[] {
  const lines = (name: string): string[] => {
    const value = args[name];
    if (typeof value !== "string") return [];
    return printable(value).replace(/\n$/, "").split("\n");
  };
  const removed = lines("old_string").map((text): Line => ({ text: `- ${text}`, style: "red" }));
  const added = ["new_string", "content"].flatMap(lines).map((text): Line => ({ text: `+ ${text}`, style: "green" }));
  const patch = ["patch", "diff"].flatMap(lines).map(patchLine);
  return [...lines("command").map((text): Line => ({ text })), ...removed, ...added, ...patch];
}

function patchLine(text: string): Line {
  if (text.startsWith("+")) return { text, style: "green" };
  return text.startsWith("-") ? { text, style: "red" } : { text };
}
