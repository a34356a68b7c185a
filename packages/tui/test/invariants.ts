// What docs/tui.md promises, checked after a frame from the raw bytes and from what the emulator made of them.

import assert from "node:assert/strict";
import { rowText } from "../src/rows/wrap.ts";
import type { LiveView } from "../src/screen/screen.ts";
import type { Emulator } from "./emulator.ts";

/** Clearing the screen or the scrollback, the alternate screen, scroll regions, resets. */
const FORBIDDEN = /\x1b\[[23]J|\x1b\[\?(1049|1047|47)[hl]|\x1b\[\d*;?\d*r|\x1bc|\x1b\[!p/;
/** What live rows of the tests begin with: they are told from committed text by it. */
export const LIVE_MARK = "~";

export interface Expected {
  /** Every committed line so far, as it was written. */
  readonly committed: readonly string[];
  readonly view: LiveView;
  /** Live rows that the terminal has pushed into the scrollback when the window became smaller: nobody can erase them there. */
  readonly remains: readonly string[];
  /** Empty rows that were above the live region and were pushed likewise. Others may be only right above it. */
  readonly emptyRemains?: number;
}

/** A terminal that becomes wider joins rows that it has broken, with the blanks between them. */
const withoutBlanks = (line: string): string => line.replaceAll(" ", "");

export function checkFrame(emulator: Emulator, bytes: string, expected: Expected): void {
  const { committed, view, remains, emptyRemains = 0 } = expected;
  assert.doesNotMatch(bytes, FORBIDDEN);
  const shown = view.rows.slice(Math.max(0, view.rows.length - emulator.rows));
  const live = shown.map((row) => rowText(row).trimEnd());
  while (live.at(-1) === "") live.pop();
  const lines = emulator.lines();
  const above = lines.slice(0, lines.length - live.length);
  while (above.at(-1) === "") above.pop();
  assert.ok(above.filter((line) => line === "").length <= emptyRemains, "empty rows among finished text");
  assert.deepEqual(lines.slice(lines.length - live.length), live);
  assert.deepEqual(
    above.filter((line) => line !== "" && !line.startsWith(LIVE_MARK)),
    committed.map((line) => line.trimEnd()),
  );
  assert.deepEqual(above.filter((line) => line.startsWith(LIVE_MARK)).map(withoutBlanks), remains.map(withoutBlanks));
  if (view.cursor !== undefined) {
    const hidden = view.rows.length - shown.length;
    if (view.cursor.row < hidden) return;
    const row = emulator.cursor.row - (view.cursor.row - hidden);
    assert.equal(emulator.cursor.column, view.cursor.column);
    assert.ok(row >= 0);
    assert.deepEqual(emulator.screen().slice(row, row + live.length), live);
  }
}

/**
 * The most that a frame may write: the rows between the first and the last that changed, with what it takes to style and address each.
 * Rows below them count only when so much is committed at once that they are pushed off the screen.
 */
export function byteLimit(
  before: readonly string[],
  committed: readonly string[],
  live: readonly string[],
  height: number,
): number {
  const after = [...committed, ...live];
  let top = 0;
  while (top < before.length && top < after.length && before[top] === after[top]) top++;
  let bottom = 0;
  while (bottom < Math.min(before.length, after.length) - top && before.at(-1 - bottom) === after.at(-1 - bottom))
    bottom++;
  const isPushedOut = after.length - before.length > height - bottom;
  const changed = after.slice(top, isPushedOut ? after.length : after.length - bottom);
  return changed.reduce((sum, text) => sum + Buffer.byteLength(text) + ROW_OVERHEAD, FRAME_OVERHEAD);
}

const ROW_OVERHEAD = 50;
const FRAME_OVERHEAD = 100;
