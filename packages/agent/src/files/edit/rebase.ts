// Carries line edits made against an older text over to the current one, or finds that this is ambiguous. A change on
// the other side conflicts if it touches an edit or an adjacent line, or if it could equally be located there (a
// removed or added line among equal neighbours).

import { diffArrays } from "diff";
import type { LineEdit } from "./lines.ts";

interface Hunk {
  /** Lines of the base that differ; `end` is exclusive. */
  start: number;
  end: number;
  readonly grows: number;
}

const MAX_DIFFERENCE = 1000;

/** Undefined if this is not safe. */
export function rebaseLineEdits(
  base: readonly string[],
  current: readonly string[],
  edits: readonly LineEdit[],
): LineEdit[] | undefined {
  const hunks = changesBetween(base, current);
  if (!hunks) return undefined;
  const moved: LineEdit[] = [];
  for (const edit of edits) {
    let shift = 0;
    for (const hunk of hunks) {
      const reach = slideRange(base, current, hunk, shift);
      if (reach.end < edit.start) shift += hunk.grows;
      else if (reach.start <= edit.end) return undefined;
      else break;
    }
    moved.push({ ...edit, start: edit.start + shift, end: edit.end + shift });
  }
  return moved;
}

/** The line changes of both sides since the base; undefined if they touch or are ambiguous. */
export function mergeLines(
  base: readonly string[],
  ours: readonly string[],
  theirs: readonly string[],
): readonly string[] | undefined {
  const hunks = changesBetween(base, theirs);
  if (!hunks) return undefined;
  let shift = 0;
  const edits = hunks.map(({ start, end, grows }) => {
    const lines = theirs.slice(start + shift, end + shift + grows);
    shift += grows;
    return { start, end, lines };
  });
  const moved = rebaseLineEdits(base, ours, edits);
  if (!moved) return undefined;
  const merged: string[] = [];
  let at = 0;
  for (const { start, end, lines } of moved) {
    merged.push(...ours.slice(at, start), ...lines);
    at = end;
  }
  return [...merged, ...ours.slice(at)];
}

function changesBetween(base: readonly string[], current: readonly string[]): Hunk[] | undefined {
  const shorter = Math.min(base.length, current.length);
  let head = 0;
  while (head < shorter && base[head] === current[head]) head++;
  let tail = 0;
  while (tail < shorter - head && base[base.length - 1 - tail] === current[current.length - 1 - tail]) tail++;
  const changes = diffArrays(base.slice(head, base.length - tail), current.slice(head, current.length - tail), {
    maxEditLength: MAX_DIFFERENCE,
  });
  if (!changes) return undefined;
  const hunks: Hunk[] = [];
  let line = head;
  let open = false;
  for (const change of changes) {
    if (!change.added && !change.removed) {
      line += change.value.length;
      open = false;
      continue;
    }
    const count = change.value.length;
    const previous = open ? (hunks.pop() as Hunk) : { start: line, end: line, grows: 0 };
    hunks.push({
      start: previous.start,
      end: previous.end + (change.removed ? count : 0),
      grows: previous.grows + (change.removed ? -count : count),
    });
    if (change.removed) line += count;
    open = true;
  }
  return hunks;
}

/** Every position at which a pure insertion or removal could equally have happened. */
function slideRange(base: readonly string[], current: readonly string[], hunk: Hunk, shift: number): Hunk {
  const inserted = hunk.start === hunk.end;
  if (!inserted && hunk.grows !== hunk.start - hunk.end) return hunk;
  const side = inserted ? current : base;
  const from = inserted ? hunk.start + shift : hunk.start;
  const length = inserted ? hunk.grows : hunk.end - hunk.start;
  let up = 0;
  while (from - up > 0 && side[from - up - 1] === side[from - up - 1 + length]) up++;
  let down = 0;
  while (from + length + down < side.length && side[from + down] === side[from + length + down]) down++;
  return { start: hunk.start - up, end: hunk.end + down, grows: hunk.grows };
}
