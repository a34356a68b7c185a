// Diffs as rows.

import { type Row, visible, wrap } from "@lathe/tui";

export function diffRows(diff: string, _path: string, columns: number): readonly Row[] {
  return visible(diff)
    .split("\n")
    .flatMap((text) => wrap([{ text, style: { color: colourOf(text) } }], columns, { anywhere: true }));
}

const colourOf = (line: string): string =>
  line.startsWith("+") ? "toolDiffAdded" : line.startsWith("-") ? "toolDiffRemoved" : "toolDiffContext";
