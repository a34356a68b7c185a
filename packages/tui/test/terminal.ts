// A component at a real emulator: bytes go in as a terminal sends them, and what a person would see comes out.

import xterm from "@xterm/headless";
import type { Focusable, RenderContext } from "../src/component.ts";
import { KeyDecoder } from "../src/keys/decoder.ts";
import { cutRow } from "../src/rows/beside.ts";
import { rowText } from "../src/rows/wrap.ts";

// The addon reads its tables from the whole memory behind a buffer, so it must not get a slice of the pool that small buffers share.
const { poolSize } = Buffer;
Buffer.poolSize = 0;
const { UnicodeGraphemesAddon } = await import("@xterm/addon-unicode-graphemes");
Buffer.poolSize = poolSize;

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
    spinnerMs: 100,
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
export async function atEmulator(
  target: Focusable,
  columns: number,
  rows = 24,
): Promise<{ lines: string[]; atCursor: string }> {
  const lines = shown(target, columns, rows);
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  terminal.loadAddon(new UnicodeGraphemesAddon());
  await new Promise<void>((resolve) => terminal.write(lines.join("\r\n"), resolve));
  const { row = 0, column = 0 } = target.cursor ?? {};
  const buffer = terminal.buffer.active;
  const line = (index: number): string => buffer.getLine(index)?.translateToString(true) ?? "";
  return {
    lines: Array.from({ length: buffer.baseY + buffer.cursorY + 1 }, (_, index) => line(index)),
    atCursor: buffer.getLine(row)?.translateToString(true, column) ?? "",
  };
}
