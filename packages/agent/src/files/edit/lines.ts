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

  /** Returns the line without its line break. */
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

  /** The 0-based line that contains the offset. */
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

  /** Text edits for line edits. Whether the text ends in a line break does not change. */
  toTextEdits(edits: readonly LineEdit[]): TextEdit[] {
    const sorted = [...edits].sort((a, b) => a.start - b.start || a.end - b.end);
    if (this.count > 0 && !this.terminated) return this.#openEnded(sorted);
    return sorted.map(({ start, end, lines }) => ({
      start: this.offset(start),
      end: this.offset(end),
      text: lines.map((line) => `${line}\n`).join(""),
    }));
  }

  /** The last line has no break: the new last line must lose its own, and an append must add one. */
  #openEnded(sorted: readonly LineEdit[]): TextEdit[] {
    const result: TextEdit[] = [];
    let followed = false;
    let untouchedTo = this.count;
    for (let index = sorted.length - 1; index >= 0; index--) {
      const { start, end, lines } = sorted[index] as LineEdit;
      if (end < untouchedTo) followed = true;
      const body = lines.join("\n") + (followed && lines.length > 0 ? "\n" : "");
      const joinsPrevious = sorted[index - 1]?.end === start;
      const appends = start === this.count && !joinsPrevious && lines.length > 0;
      const takesBreak = lines.length === 0 && !followed && !joinsPrevious && start > 0;
      result.push({
        start: takesBreak ? this.offset(start) - 1 : this.offset(start),
        end: this.offset(end),
        text: appends ? `\n${body}` : body,
      });
      if (lines.length > 0) followed = true;
      untouchedTo = start;
    }
    return result.reverse();
  }
}

export function splitLines(text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
