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
  /** The window has become too small for the live region at some time: rows of it have been pushed into the scrollback, where nobody can erase them. */
  readonly mayHaveRemains: boolean;
}

export function checkFrame(emulator: Emulator, bytes: string, { committed, view, mayHaveRemains }: Expected): void {
  assert.doesNotMatch(bytes, FORBIDDEN);
  const shown = view.rows.slice(Math.max(0, view.rows.length - emulator.rows));
  const live = shown.map((row) => rowText(row).trimEnd());
  while (live.at(-1) === "") live.pop();
  const lines = emulator.lines();
  const above = lines.slice(0, lines.length - live.length);
  assert.deepEqual(lines.slice(lines.length - live.length), live);
  const text = mayHaveRemains ? above.filter((line) => !line.startsWith(LIVE_MARK)) : above;
  assert.deepEqual(text, committed.map((line) => line.trimEnd()));
  if (view.cursor !== undefined) {
    const hidden = view.rows.length - shown.length;
    if (view.cursor.row < hidden) return;
    const row = emulator.cursor.row - (view.cursor.row - hidden);
    assert.equal(emulator.cursor.column, view.cursor.column);
    assert.ok(row >= 0);
    assert.deepEqual(emulator.screen().slice(row, row + live.length), live);
  }
}
