// All files of a diff below one another, as cards show them.

import { diffHeadline, diffRows, EMPTY_ROW, fileDiffs, type Row, rowOf } from "@lathe/tui";

export function diffPage(diff: string): (columns: number) => readonly Row[] {
  const [only, ...others] = fileDiffs(diff);
  return (columns) => {
    const rows = diffRows(diff, columns);
    // Of a single file, the headline is left to whoever shows it.
    return only && others.length === 0 ? [rowOf(...diffHeadline(only)), EMPTY_ROW, ...rows] : rows;
  };
}
