// Output while a person types: what they have typed so far stays in one piece, and whole lines appear above it. Nobody typing,
// text goes out as it comes.

import { clearScreenDown, cursorTo, moveCursor } from "node:readline";
import type { Output } from "./printer.ts";

export interface TypedLine {
  /** Typed and not yet sent. */
  readonly line: string;
  /** Draws the prompt and the line anew at the cursor. */
  prompt(keepCursor: boolean): void;
}

export interface TerminalOutput extends Output, NodeJS.WritableStream {
  readonly columns?: number;
  write(text: string): boolean;
}

export class AboveLine implements Output {
  readonly #out: TerminalOutput;
  readonly #typed: () => TypedLine | undefined;
  /** The last row so far, on the screen or held back while somebody types. */
  #row = "";
  #held = false;

  constructor(out: TerminalOutput, typed: () => TypedLine | undefined) {
    this.#out = out;
    this.#typed = typed;
  }

  write(text: string): void {
    const typed = this.#typed();
    if (typed === undefined || typed.line === "") {
      this.#out.write(this.#held ? this.#row + text : text);
      this.#held = false;
      this.#keep(this.#row + text);
      return;
    }
    const rows = this.#row + text;
    this.#erase(typed.line);
    this.#out.write(rows.slice(0, rows.lastIndexOf("\n") + 1));
    this.#held = true;
    this.#keep(rows);
    typed.prompt(true);
  }

  #keep(rows: string): void {
    this.#row = rows.slice(rows.lastIndexOf("\n") + 1);
  }

  /** Takes the typed line off the screen, and the unfinished row that it was typed behind. */
  #erase(typed: string): void {
    const before = this.#held ? PROMPT_WIDTH : this.#row.length;
    const rows = Math.floor((before + typed.length) / (this.#out.columns ?? 80));
    moveCursor(this.#out, 0, -rows);
    cursorTo(this.#out, 0);
    clearScreenDown(this.#out);
  }
}

const PROMPT_WIDTH = 2;
