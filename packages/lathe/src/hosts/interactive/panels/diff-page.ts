// All files of a diff one after another, as cards show them.

import { diffHeadline, diffRows, EMPTY_ROW, fileDiffs, type Row, rowOf } from "@lathe/tui";

export function diffPage(diff: string): (columns: number) => readonly Row[] {
  const [only, ...others] = fileDiffs(diff);
  return (columns) => {
    const rows = diffRows(diff, columns);
    // The rows of a single file have no headline, so it is added here.
    return only && others.length === 0 ? [rowOf(...diffHeadline(only)), EMPTY_ROW, ...rows] : rows;
  };
}
