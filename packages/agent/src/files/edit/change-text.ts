// A change as users and models read it: unified diff, counts, first changed line. The work grows with the change, not
// with the file.

import { structuredPatch } from "diff";
import { countBreaks } from "./endings.ts";
import { splitLines } from "./lines.ts";

export interface ChangeText {
  /** Only hunks; the caller names the file. Empty if nothing changed. */
  readonly diff: string;
  readonly added: number;
  readonly removed: number;
  /** 1-based, in the new text. */
  readonly firstChangedLine: number;
}

const CONTEXT = 3;
const MAX_EDITS = 1000;

/** `whole`: list every changed line, however many there are. */
export function changeText(before: string, after: string, options: { readonly whole?: boolean } = {}): ChangeText {
  if (before === after) return { diff: "", added: 0, removed: 0, firstChangedLine: 1 };
  const head = contextStart(before, commonHead(before, after));
  const tail = commonTail(before, after, head);
  const oldEnd = contextEnd(before, before.length - tail);
  const newEnd = after.length - (before.length - oldEnd);
  const offset = countBreaks(before, 0, head);
  const oldPart = before.slice(head, oldEnd);
  const newPart = after.slice(head, newEnd);
  const patch = structuredPatch("", "", oldPart, newPart, "", "", { context: CONTEXT, maxEditLength: MAX_EDITS });
  if (!patch) {
    const [oldLines, newLines] = [splitLines(oldPart), splitLines(newPart)];
    const [removed, added] = [oldLines.length, newLines.length];
    const body = options.whole
      ? [...oldLines.map((line) => `-${line}`), ...newLines.map((line) => `+${line}`)].join("\n")
      : "(too many changes to list)";
    const diff = `@@ -${offset + 1},${removed} +${offset + 1},${added} @@\n${body}`;
    return { diff, added, removed, firstChangedLine: offset + 1 };
  }
  const hunks = patch.hunks.map((hunk) => {
    const [oldStart, newStart] = [hunk.oldStart + offset, hunk.newStart + offset];
    return `@@ -${oldStart},${hunk.oldLines} +${newStart},${hunk.newLines} @@\n${hunk.lines.join("\n")}`;
  });
  const lines = patch.hunks.flatMap((hunk) => hunk.lines);
  const first = patch.hunks[0];
  const lead = first ? first.lines.findIndex((line) => !line.startsWith(" ")) : 0;
  return {
    diff: hunks.join("\n"),
    added: lines.filter((line) => line.startsWith("+")).length,
    removed: lines.filter((line) => line.startsWith("-")).length,
    firstChangedLine: (first?.newStart ?? 1) + offset + Math.max(0, lead),
  };
}

const CHUNK = 65_536;

function commonHead(a: string, b: string): number {
  const limit = Math.min(a.length, b.length);
  let at = 0;
  // Comparing slices is fast; characters are compared only inside the chunk that differs.
  while (at + CHUNK <= limit && a.slice(at, at + CHUNK) === b.slice(at, at + CHUNK)) at += CHUNK;
  while (at < limit && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return at;
}

/** Length of the common suffix that excludes the first `head` characters of both. */
function commonTail(a: string, b: string, head: number): number {
  const limit = Math.min(a.length, b.length) - head;
  let size = 0;
  while (
    size + CHUNK <= limit &&
    a.slice(a.length - size - CHUNK, a.length - size) === b.slice(b.length - size - CHUNK, b.length - size)
  ) {
    size += CHUNK;
  }
  while (size < limit && a.charCodeAt(a.length - 1 - size) === b.charCodeAt(b.length - 1 - size)) size++;
  return size;
}

/** Start of the line that is `CONTEXT` lines above the one at `offset`. */
function contextStart(text: string, offset: number): number {
  let start = text.lastIndexOf("\n", offset - 1) + 1;
  if (offset === 0) start = 0;
  for (let count = 0; count < CONTEXT && start > 0; count++) {
    start = start >= 2 ? text.lastIndexOf("\n", start - 2) + 1 : 0;
  }
  return start;
}

/** End, break included, of the line that is `CONTEXT` lines below the one at `offset`. */
function contextEnd(text: string, offset: number): number {
  let end = offset;
  for (let count = 0; count <= CONTEXT && end < text.length; count++) {
    const next = text.indexOf("\n", end);
    end = next === -1 ? text.length : next + 1;
  }
  return end;
}
