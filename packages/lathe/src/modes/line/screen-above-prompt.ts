// The screen above the prompt. The last rows show what the person is typing, or the current status; output appears above them
// and is never erased. With no typing and no status, text is written as it arrives.

import type { Output } from "./printer.ts";
import { lastRow, rowsOf, shorten } from "./width.ts";

/** The part of readline's interface that we use. */
export interface TypedLine {
  /** Typed and not yet sent. */
  line: string;
  cursor: number;
  getPrompt(): string;
  setPrompt(prompt: string): void;
  /** How many rows the cursor is below the first row readline drew. */
  prevRows?: number;
  getCursorPos(): { readonly rows: number };
  /** Redraws the prompt and the line: over what it drew last, or else at the cursor. */
  prompt(keepCursor: boolean): void;
}

export interface TerminalOutput {
  readonly columns?: number;
  write(text: string): boolean;
}

export class ScreenAbovePrompt implements Output {
  readonly #out: TerminalOutput;
  /** Undefined where nothing can be erased from the screen. */
  readonly #typed: () => TypedLine | undefined;
  /** The last line of output so far; empty when it is complete. */
  #line = "";
  #below: "nothing" | "typing" | "status" = "nothing";
  #status = "";
  /** The part of the status that is on the screen. */
  #shown = "";

  constructor(out: TerminalOutput, typed: () => TypedLine | undefined) {
    this.#out = out;
    this.#typed = typed;
  }

  write(text: string): void {
    this.#erasePrompt();
    this.#out.write(text);
    const line = text.lastIndexOf("\n") + 1;
    this.#line = line > 0 ? text.slice(line) : this.#line + text;
    this.#drawPrompt();
  }

  /** One status line, replaced by the next one; empty removes it. */
  status(text: string): void {
    if (text === this.#status) return;
    this.#erasePrompt();
    this.#status = text;
    this.#drawPrompt();
  }

  /** The person may type from here on. */
  open(): void {
    this.#erasePrompt();
    if (this.#typed()) this.#below = "typing";
    this.#drawPrompt();
  }

  get isOpen(): boolean {
    return this.#below === "typing";
  }

  /** Readline has ended the line, and the cursor is below it. If it interrupted a row of output, that row continues after it. */
  sent(line: string): void {
    const typed = this.#typed();
    if (typed && this.isOpen && this.#line !== "") {
      const said = `${typed.getPrompt()}${line}`;
      this.#out.write(`${up(rowsOf(said, this.#columns) + 1)}${CLEAR}${line === "" ? "" : `${said}\n`}${this.#row}`);
    }
    this.#below = "nothing";
    this.#drawPrompt();
  }

  /** Abandons what was being typed but leaves it visible. The output is at the beginning of a row. */
  end(): void {
    const typed = this.#typed();
    this.#status = "";
    this.#erasePrompt();
    if (typed && this.isOpen) this.#out.write(`${typed.getPrompt()}${typed.line}\n`);
    this.#below = "nothing";
  }

  /** The terminal has a new width and has wrapped long lines again, as nearly all terminals do. */
  resized(): void {
    const typed = this.#typed();
    if (!typed || !this.isOpen) return;
    typed.prevRows = typed.getCursorPos().rows;
    typed.prompt(true);
  }

  get #columns(): number {
    return this.#out.columns || 80;
  }

  /** The text in the cursor's row. */
  get #row(): string {
    return lastRow(this.#line, this.#columns);
  }

  #erasePrompt(): void {
    const typed = this.#typed();
    if (this.#below === "nothing" || !typed) return;
    if (this.#below === "typing") hide(typed);
    const rows = this.#below === "typing" ? 0 : rowsOf(this.#shown, this.#columns) - 1;
    this.#out.write(`${up(rows)}${CLEAR}${this.#line === "" ? "" : up(1)}${this.#row}`);
    if (this.#below === "status") this.#below = "nothing";
  }

  #drawPrompt(): void {
    const typed = this.#typed();
    if (!typed) return;
    const isTyping = this.#below === "typing";
    if (!isTyping && this.#status === "") return;
    if (this.#line !== "") this.#out.write("\n");
    if (isTyping) {
      typed.prompt(true);
    } else {
      this.#shown = shorten(this.#status, this.#columns - 1);
      this.#out.write(this.#shown);
      this.#below = "status";
    }
  }
}

/** Only readline knows where its drawing begins, so we make it draw an empty line there. */
function hide(typed: TypedLine): void {
  const { line, cursor } = typed;
  const prompt = typed.getPrompt();
  Object.assign(typed, { line: "", cursor: 0 });
  typed.setPrompt("");
  typed.prompt(true);
  typed.setPrompt(prompt);
  Object.assign(typed, { line, cursor });
}

/** Goes to the beginning of the row and erases everything from there. */
const CLEAR = "\r\x1b[J";
const up = (rows: number): string => (rows > 0 ? `\x1b[${rows}A\r` : "");
