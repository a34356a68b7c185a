// The smallest runs of lines in which two texts differ, so that every unchanged line keeps its own ending.

import { diffArrays } from "diff";
import type { TextEdit } from "./endings.ts";
import { type LineEdit, Lines, splitLines } from "./lines.ts";

const MAX_DIFFERENCE = 1000;

/** Ranges of `before`, with replacements, that turn it into `after`, shifted by `offset`. */
export function lineRuns(before: string, after: string, offset = 0): TextEdit[] {
  const edits = before === "" || after === "" ? [{ start: 0, end: before.length, text: after }] : runs(before, after);
  return edits.map((edit) => ({ ...edit, start: edit.start + offset, end: edit.end + offset }));
}

function runs(before: string, after: string): TextEdit[] {
  const lines = new Lines(before);
  const edits = lines.toTextEdits(lineEdits(splitLines(before), splitLines(after)));
  if (lines.terminated === after.endsWith("\n")) return edits;
  const last = edits.at(-1);
  const touchesEnd = last?.end === before.length && (last.text !== "" || last.start < last.end);
  if (!lines.terminated) {
    const rest = touchesEnd ? edits.slice(0, -1) : edits;
    return [
      ...rest,
      touchesEnd ? { ...last, text: `${last.text}\n` } : { start: before.length, end: before.length, text: "\n" },
    ];
  }
  if (!touchesEnd) return [...edits, { start: before.length - 1, end: before.length, text: "" }];
  const shorter = last.text === "" ? { ...last, start: last.start - 1 } : { ...last, text: last.text.slice(0, -1) };
  return [...edits.slice(0, -1), shorter];
}

function lineEdits(old: readonly string[], now: readonly string[]): LineEdit[] {
  const shorter = Math.min(old.length, now.length);
  let head = 0;
  while (head < shorter && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < shorter - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  const [oldMiddle, newMiddle] = [old.slice(head, old.length - tail), now.slice(head, now.length - tail)];
  const changes = diffArrays(oldMiddle, newMiddle, { maxEditLength: MAX_DIFFERENCE });
  if (!changes) return [{ start: head, end: head + oldMiddle.length, lines: newMiddle }];
  const edits: LineEdit[] = [];
  let line = head;
  let open: { start: number; end: number; lines: readonly string[] } | undefined;
  for (const change of changes) {
    if (!change.added && !change.removed) {
      if (open) edits.push(open);
      open = undefined;
      line += change.value.length;
      continue;
    }
    open ??= { start: line, end: line, lines: [] };
    if (change.added) open = { ...open, lines: [...open.lines, ...change.value] };
    else {
      line += change.value.length;
      open = { ...open, end: line };
    }
  }
  return open ? [...edits, open] : edits;
}
