// Finds the words of a changed line that differ from the line it replaces.

import { diffWordsWithSpace } from "diff";
import type { DiffLine } from "./file-diff.ts";

export interface MarkedText {
  readonly text: string;
  readonly isMarked: boolean;
}

/** Longer lines are data, in which no reader looks for single words. */
const LINE_LIMIT = 400;
/** Lines that share less than this are different lines, not one changed line. */
const LEAST_COMMON = 0.4;

/** The marks per line of a hunk. A run of removed lines is compared line by line with the added lines that follow. */
export function wordMarks(hunk: readonly DiffLine[]): ReadonlyMap<DiffLine, readonly MarkedText[]> {
  const marks = new Map<DiffLine, readonly MarkedText[]>();
  for (let index = 0; index < hunk.length; ) {
    const removed = run(hunk, index, "removed");
    const added = run(hunk, index + removed.length, "added");
    if (removed.length === added.length) {
      for (const [place, line] of removed.entries()) mark(line, added[place] as DiffLine, marks);
    }
    index += Math.max(1, removed.length + added.length);
  }
  return marks;
}

function run(hunk: readonly DiffLine[], start: number, kind: DiffLine["kind"]): readonly DiffLine[] {
  let end = start;
  while (hunk[end]?.kind === kind) end++;
  return hunk.slice(start, end);
}

function mark(before: DiffLine, after: DiffLine, marks: Map<DiffLine, readonly MarkedText[]>): void {
  if (Math.max(before.text.length, after.text.length) > LINE_LIMIT) return;
  const parts = diffWordsWithSpace(before.text, after.text);
  const common = parts
    .filter(({ added, removed }) => !added && !removed)
    .reduce((sum, { value }) => sum + value.trim().length, 0);
  if (common < LEAST_COMMON * Math.max(before.text.trim().length, after.text.trim().length)) return;
  marks.set(
    before,
    parts.filter(({ added }) => !added).map(({ value, removed }) => ({ text: value, isMarked: removed })),
  );
  marks.set(
    after,
    parts.filter(({ removed }) => !removed).map(({ value, added }) => ({ text: value, isMarked: added })),
  );
}
