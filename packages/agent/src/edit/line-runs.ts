// The smallest runs of lines in which two texts differ, so that every unchanged line keeps its own ending.

import { diffArrays } from "diff";
import type { TextEdit } from "./endings.ts";

const MAX_DIFFERENCE = 5000;

/** Exact ranges of `before` that turn it into `after`, shifted by `offset`. */
export function lineRuns(before: string, after: string, offset = 0): TextEdit[] {
  const [old, now] = [pieces(before), pieces(after)];
  const shorter = Math.min(old.length, now.length);
  let head = 0;
  while (head < shorter && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < shorter - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  const [oldMiddle, newMiddle] = [old.slice(head, old.length - tail), now.slice(head, now.length - tail)];
  let position = offset + length(old.slice(0, head));
  const changes = diffArrays(oldMiddle, newMiddle, { maxEditLength: MAX_DIFFERENCE });
  if (!changes) return [{ start: position, end: position + length(oldMiddle), text: newMiddle.join("") }];
  const edits: TextEdit[] = [];
  let open: TextEdit | undefined;
  for (const change of changes) {
    if (!change.added && !change.removed) {
      if (open) edits.push(open);
      open = undefined;
      position += length(change.value);
      continue;
    }
    open ??= { start: position, end: position, text: "" };
    if (change.added) {
      open = { ...open, text: open.text + change.value.join("") };
    } else {
      position += length(change.value);
      open = { ...open, end: position };
    }
  }
  return open ? [...edits, open] : edits;
}

/** Lines with their breaks. */
function pieces(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function length(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length, 0);
}
