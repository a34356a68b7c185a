// The changes in one file, from its text before and after, or from a unified diff.

import { structuredPatch } from "diff";

export interface DiffLine {
  readonly kind: "added" | "removed" | "context";
  /** The line number after the change; for a removed line, before it. */
  readonly number: number;
  readonly text: string;
}

export interface FileDiff {
  readonly path: string;
  readonly status: "changed" | "new" | "deleted" | "renamed" | "binary";
  /** The old path of a renamed file. */
  readonly oldPath?: string;
  /** Runs of changed lines with the unchanged ones around them. */
  readonly hunks: readonly (readonly DiffLine[])[];
  readonly added: number;
  readonly removed: number;
}

export interface FileChange {
  readonly path: string;
  /** Absent if the file did not exist. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

const CONTEXT = 3;
/** Files with more differences are shown as removed and added: a real diff would take too long. */
const MAX_EDITS = 2_000;

export function changeDiff({ path, before, after }: FileChange): FileDiff {
  const status = before === undefined ? "new" : after === undefined ? "deleted" : "changed";
  if (isBinary(before) || isBinary(after)) return { path, status: "binary", hunks: [], added: 0, removed: 0 };
  return withCounts({ path, status, hunks: hunksOf(before ?? "", after ?? "") });
}

const isBinary = (text: string | undefined): boolean => text?.includes("\0") ?? false;

function hunksOf(before: string, after: string): DiffLine[][] {
  const patch = structuredPatch("", "", before, after, undefined, undefined, {
    context: CONTEXT,
    maxEditLength: MAX_EDITS,
  });
  if (patch === undefined) {
    return [[...linesOf(before).map(lineOf("removed")), ...linesOf(after).map(lineOf("added"))]];
  }
  return patch.hunks.map(({ oldStart, newStart, lines }) => hunkLines(oldStart, newStart, lines));
}

const linesOf = (text: string): string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));

const lineOf =
  (kind: DiffLine["kind"]) =>
  (text: string, index: number): DiffLine => ({ kind, number: index + 1, text });

export function hunkLines(oldStart: number, newStart: number, lines: readonly string[]): DiffLine[] {
  let before = oldStart;
  let after = newStart;
  const result: DiffLine[] = [];
  for (const line of lines) {
    const text = line.slice(1);
    if (line.startsWith("-")) result.push({ kind: "removed", number: before++, text });
    else if (line.startsWith("+")) result.push({ kind: "added", number: after++, text });
    else if (!line.startsWith("\\")) {
      result.push({ kind: "context", number: after++, text });
      before++;
    }
  }
  return result;
}

export function withCounts(diff: Omit<FileDiff, "added" | "removed">): FileDiff {
  const count = (kind: DiffLine["kind"]): number => diff.hunks.flat().filter((line) => line.kind === kind).length;
  return { ...diff, added: count("added"), removed: count("removed") };
}
