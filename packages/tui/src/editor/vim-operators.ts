// Vim's operators on a range or on lines, and the register they write.

import type { EditCommands } from "../document/commands.ts";
import type { Document } from "../document/document.ts";
import type { Place } from "../document/place.ts";
import { firstSign } from "./vim-motions.ts";

export class VimOperators {
  readonly #text: Document;
  readonly #commands: EditCommands;
  #register = { text: "", isLines: false };

  constructor(text: Document, commands: EditCommands) {
    this.#text = text;
    this.#commands = commands;
  }

  /** `d`, `c` or `y`. */
  range(operator: string, from: Place, to: Place): void {
    this.#keep(this.#text.textBetween(from, to), false);
    if (operator === "y") this.#text.moveTo(from);
    else this.#text.replace(from, to, "");
  }

  lines(operator: string, first: number, last: number): void {
    const text = this.#text;
    const end = Math.min(last, text.lines.length - 1);
    const from: Place = { line: first, offset: 0 };
    const to: Place = { line: end, offset: text.line(end).length };
    this.#keep(text.textBetween(from, to), true);
    if (operator === "c") text.replace(from, to, "");
    if (operator !== "d") return;
    // Delete a line break, too: the one after the lines, or before them at the end of the text.
    if (end < text.lines.length - 1) text.replace(from, { line: end + 1, offset: 0 }, "");
    else text.replace(first === 0 ? from : text.before(from), to, "");
    text.moveTo({ line: text.cursor.line, offset: firstSign(text.line(text.cursor.line)) });
  }

  /** `p` and `P`. */
  put(isAfter: boolean, times: number): void {
    const text = this.#text;
    const { text: kept, isLines } = this.#register;
    if (kept === "" && !isLines) return;
    const { line } = text.cursor;
    if (isLines) {
      const lines = Array(times).fill(kept).join("\n");
      const at: Place = isAfter ? { line, offset: text.line(line).length } : { line, offset: 0 };
      text.replace(at, at, isAfter ? `\n${lines}` : `${lines}\n`);
      const first = isAfter ? line + 1 : line;
      text.moveTo({ line: first, offset: firstSign(text.line(first)) });
      return;
    }
    const isAtEnd = text.cursor.offset >= text.line(line).length;
    const at = isAfter && !isAtEnd ? text.after(text.cursor) : text.cursor;
    text.replace(at, at, kept.repeat(times));
    text.moveTo(text.before(text.cursor));
  }

  /** `J`. */
  join(at: Place): void {
    const next = at.line + 1;
    if (next >= this.#text.lines.length) return;
    this.#text.replace(at, { line: next, offset: firstSign(this.#text.line(next)) }, " ");
    this.#text.moveTo(at);
  }

  /** `r`. */
  replaceCharacter(character: string): void {
    const { cursor } = this.#text;
    if (cursor.offset >= this.#text.line(cursor.line).length) return;
    this.#text.replace(cursor, this.#text.after(cursor), character);
    this.#text.moveTo(cursor);
  }

  #keep(text: string, isLines: boolean): void {
    this.#register = { text, isLines };
    this.#commands.killRing.add(text);
  }
}
