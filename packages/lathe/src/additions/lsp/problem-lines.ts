// Problems as lines for the model: `line:column severity message [source code]`, the worst first.

import { columnOf, type Encoding, linesOf } from "./positions.ts";
import type { Problem } from "./protocol.ts";

const SEVERITIES = ["error", "error", "warning", "info", "hint"] as const;
const MOST_LINES = 50;

export const isError = ({ severity = 1 }: Problem): boolean => severity === 1;

export function problemLines(problems: readonly Problem[], text: string, encoding: Encoding): string[] {
  const lines = linesOf(text);
  const all = [...problems]
    .sort((a, b) => (a.severity ?? 1) - (b.severity ?? 1) || a.range.start.line - b.range.start.line)
    .map((problem) => problemLine(problem, lines, encoding));
  const unique = [...new Set(all)];
  const more = unique.length - MOST_LINES;
  return more > 0 ? [...unique.slice(0, MOST_LINES), `… and ${more} more`] : unique;
}

function problemLine(
  { range: { start }, severity = 1, message, source, code }: Problem,
  lines: readonly string[],
  encoding: Encoding,
): string {
  const column = columnOf(lines[start.line] ?? "", start.character, encoding) + 1;
  const from = [source, code].filter((part) => part !== undefined).join(" ");
  const said = message.trim().replaceAll(/\s*\n\s*/g, " ");
  return `${start.line + 1}:${column} ${SEVERITIES[severity] ?? "hint"} ${said}${from === "" ? "" : ` [${from}]`}`;
}
