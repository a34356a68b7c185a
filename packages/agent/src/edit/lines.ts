// Line numbers and offsets of a text with "\n" endings. A final "\n" ends the last line; it does not start another.

import type { TextEdit } from "./endings.ts";

export interface LineEdit {
  /** 0-based, `end` exclusive; `start === end` inserts before that line. */
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

export class Lines {
  readonly text: string;
  readonly #starts: number[] = [];

  constructor(text: string) {
    this.text = text;
    for (let at = 0; at < text.length; ) {
      this.#starts.push(at);
      const next = text.indexOf("\n", at);
      at = next === -1 ? text.length : next + 1;
    }
  }

  get count(): number {
    return this.#starts.length;
  }

  get terminated(): boolean {
    return this.text.endsWith("\n");
  }

  offset(line: number): number {
    return this.#starts[line] ?? this.text.length;
  }

  /** Without its line break. */
  at(line: number): string {
    const end = this.offset(line + 1);
    return this.text.slice(this.offset(line), this.text[end - 1] === "\n" ? end - 1 : end);
  }

  all(): string[] {
    return splitLines(this.text);
  }

  slice(from: number, to: number): string[] {
    const result: string[] = [];
    for (let line = Math.max(0, from); line < Math.min(to, this.count); line++) result.push(this.at(line));
    return result;
  }

  /** The 0-based line that holds the offset. */
  lineAt(offset: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    return Math.max(0, low);
  }

  /**
   * Exact ranges for line edits. Whether the text ends in a line break stays as it is: a text without one gets none, so an
   * append has to begin with a break and a removal of the last line has to take the break before it.
   */
  toTextEdits(edits: readonly LineEdit[]): TextEdit[] {
    return inOrder(edits, this.terminated ? -1 : this.count).map(({ start, end, lines }) => {
      if (this.count === 0 || this.terminated || end < this.count) {
        return {
          start: this.offset(start),
          end: this.offset(end),
          text: lines.length === 0 ? "" : `${lines.join("\n")}\n`,
        };
      }
      const joined = lines.join("\n");
      if (start === this.count) return { start: this.text.length, end: this.text.length, text: `\n${joined}` };
      if (lines.length > 0) return { start: this.offset(start), end: this.text.length, text: joined };
      return { start: Math.max(0, this.offset(start) - 1), end: this.text.length, text: "" };
    });
  }
}

export function splitLines(text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** In a text without final break, edits that reach `tail` and touch become one, so that no two claim the break between them. */
function inOrder(edits: readonly LineEdit[], tail: number): readonly LineEdit[] {
  const sorted = [...edits].sort((a, b) => a.start - b.start || a.end - b.end);
  for (;;) {
    const last = sorted.at(-1);
    const before = sorted.at(-2);
    if (!last || !before || last.end !== tail || before.end !== last.start) return sorted;
    sorted.splice(-2, 2, { start: before.start, end: last.end, lines: [...before.lines, ...last.lines] });
  }
}
