// The bottom of the screen: a person's typing, or what is going on at the moment, below the output. Output appears above it and
// is never taken back; nobody typing and nothing to tell, text goes out as it comes.

import type { Output } from "./printer.ts";
import { lastRow, rowsOf, shorten } from "./width.ts";

/** Readline's interface, as far as it is needed here. */
export interface TypedLine {
  /** Typed and not yet sent. */
  line: string;
  cursor: number;
  getPrompt(): string;
  setPrompt(prompt: string): void;
  /** How far below the beginning of its drawing the cursor stands. */
  prevRows?: number;
  getCursorPos(): { readonly rows: number };
  /** Draws the prompt and the line anew: over what it has drawn last, else at the cursor. */
  prompt(keepCursor: boolean): void;
}

export interface TerminalOutput {
  readonly columns?: number;
  write(text: string): boolean;
}

export class AboveLine implements Output {
  readonly #out: TerminalOutput;
  /** Undefined where nothing can be taken off the screen again. */
  readonly #typed: () => TypedLine | undefined;
  /** The output's last line, as far as it has come; empty when it is complete. */
  #line = "";
  #below: "nothing" | "typing" | "status" = "nothing";
  #status = "";
  /** Of the status, what is on the screen. */
  #shown = "";

  constructor(out: TerminalOutput, typed: () => TypedLine | undefined) {
    this.#out = out;
    this.#typed = typed;
  }

  write(text: string): void {
    this.#lift();
    this.#out.write(text);
    const line = text.lastIndexOf("\n") + 1;
    this.#line = line > 0 ? text.slice(line) : this.#line + text;
    this.#lower();
  }

  /** One line about what is going on, until the next one; empty: nothing. */
  status(text: string): void {
    if (text === this.#status) return;
    this.#lift();
    this.#status = text;
    this.#lower();
  }

  /** The person may type from here on. */
  open(): void {
    this.#lift();
    if (this.#typed()) this.#below = "typing";
    this.#lower();
  }

  get isOpen(): boolean {
    return this.#below === "typing";
  }

  /** Readline has ended the line, and the cursor stands below it. It came into the middle of a row: the row goes on after it. */
  sent(line: string): void {
    const typed = this.#typed();
    if (typed && this.isOpen && this.#line !== "") {
      const said = `${typed.getPrompt()}${line}`;
      this.#out.write(`${up(rowsOf(said, this.#columns) + 1)}${CLEAR}${line === "" ? "" : `${said}\n`}${this.#row}`);
    }
    this.#below = "nothing";
    this.#lower();
  }

  /** What was being typed is given up but stays to be seen. The output stands at the beginning of a row. */
  end(): void {
    const typed = this.#typed();
    this.#status = "";
    this.#lift();
    if (typed && this.isOpen) this.#out.write(`${typed.getPrompt()}${typed.line}\n`);
    this.#below = "nothing";
  }

  /** The terminal has a new width, and has broken long lines anew, as nearly all terminals do. */
  resized(): void {
    const typed = this.#typed();
    if (!typed || !this.isOpen) return;
    typed.prevRows = typed.getCursorPos().rows;
    typed.prompt(true);
  }

  get #columns(): number {
    return this.#out.columns || 80;
  }

  /** What the row of the cursor holds. */
  get #row(): string {
    return lastRow(this.#line, this.#columns);
  }

  #lift(): void {
    const typed = this.#typed();
    if (this.#below === "nothing" || !typed) return;
    if (this.#below === "typing") hide(typed);
    const rows = this.#below === "typing" ? 0 : rowsOf(this.#shown, this.#columns) - 1;
    this.#out.write(`${up(rows)}${CLEAR}${this.#line === "" ? "" : up(1)}${this.#row}`);
    if (this.#below === "status") this.#below = "nothing";
  }

  #lower(): void {
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

/** Readline alone knows how far above the cursor its drawing begins; it draws nothing there. */
function hide(typed: TypedLine): void {
  const { line, cursor } = typed;
  const prompt = typed.getPrompt();
  Object.assign(typed, { line: "", cursor: 0 });
  typed.setPrompt("");
  typed.prompt(true);
  typed.setPrompt(prompt);
  Object.assign(typed, { line, cursor });
}

/** To the beginning of the row, and everything from there away. */
const CLEAR = "\r\x1b[J";
const up = (rows: number): string => (rows > 0 ? `\x1b[${rows}A\r` : "");
