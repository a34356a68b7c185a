// Code and tables as Markdown.

import { oneLine } from "../../../../base/text/one-line.ts";

const longestFence = (text: string): number =>
  (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);

/** "" for code without text. */
export function inlineCode(text: string): string {
  const words = oneLine(text);
  const longest = longestFence(text);
  const fence = "`".repeat(longest + 1);
  const gap = longest > 0 ? " " : "";
  return words === "" ? "" : fence + gap + words + gap + fence;
}

export function codeLines(text: string, language: string): readonly string[] {
  const lines = text
    .replace(/^\r?\n/, "")
    .trimEnd()
    .split(/\r?\n/);
  const fence = "`".repeat(Math.max(3, longestFence(text) + 1));
  return lines.join("") === "" ? [] : [fence + language, ...lines, fence];
}

/** A table with one column becomes plain lines. */
export function tableLines(rows: readonly (readonly string[])[]): readonly string[] {
  const filled = rows.filter((row) => row.some((cell) => cell !== ""));
  const columns = filled.reduce((most, row) => Math.max(most, row.length), 0);
  if (columns <= 1) return filled.map((row) => row[0]!);
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const [head, ...rest] = filled.map((row) =>
    line(Array.from({ length: columns }, (_, n) => (row[n] ?? "").replaceAll("|", "\\|"))),
  );
  return [head!, line(Array.from({ length: columns }, () => "---")), ...rest];
}
