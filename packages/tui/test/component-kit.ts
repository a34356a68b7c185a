// A component at a real emulator: bytes go in as a terminal sends them, and what a person would see comes out.

import type { Focusable, RenderContext } from "../src/component.ts";
import { KeyDecoder } from "../src/keys/decoder.ts";
import { cutRow } from "../src/rows/beside.ts";
import { rowText } from "../src/rows/wrap.ts";
import { Emulator } from "./emulator.ts";

export const CONTEXT: RenderContext = {
  columns: 40,
  rows: 24,
  now: 0,
  symbols: {
    success: "✓",
    failure: "✗",
    running: "●",
    pending: "○",
    warning: "!",
    info: "i",
    bullet: "•",
    prompt: ">",
    pointer: "❯",
    ellipsis: "…",
    arrowRight: "→",
    arrowDown: "↓",
    branch: "⑂",
    ruleHorizontal: "─",
    ruleVertical: "│",
    quoteBar: "▌",
    treeMiddle: "├",
    treeLast: "└",
    checked: "◉",
    unchecked: "○",
    barFull: "█",
    barEmpty: "░",
    spinner: ["-"],
  },
};

/** Feeds bytes as they come from a terminal, with silence after them. Returns whether every key was taken. */
export function send(target: Focusable, ...chunks: string[]): boolean {
  const decoder = new KeyDecoder();
  const items = [...chunks.flatMap((chunk) => decoder.feed(chunk)), ...decoder.flush()];
  return items
    .map((item) => (item.kind !== "key" && item.kind !== "paste" && item.kind !== "focus" ? true : target.handle(item)))
    .every(Boolean);
}

export const shown = (target: Focusable, columns = 40, rows = 24): string[] =>
  target.render({ ...CONTEXT, columns, rows }).map(rowText);

/** The rows with a bar where the cursor is. */
export function withBar(target: Focusable, columns = 40): string {
  const rows = shown(target, columns);
  const { row = 0, column = 0 } = target.cursor ?? {};
  return rows
    .map((text, index) => {
      if (index !== row) return text;
      const before = rowText(cutRow({ spans: [{ text }] }, column));
      return `${before}|${text.slice(before.length)}`;
    })
    .join("\n");
}

/** The rows at an emulator, and the text from its cursor's cell to the end of that row. */
export function atEmulator(target: Focusable, columns: number, rows = 24): { lines: string[]; atCursor: string } {
  const emulator = new Emulator(columns, rows);
  emulator.write(shown(target, columns, rows).join("\r\n"));
  const { row = 0, column = 0 } = target.cursor ?? {};
  return { lines: emulator.screen().slice(0, emulator.cursor.row + 1), atCursor: emulator.textFrom(row, column) };
}
