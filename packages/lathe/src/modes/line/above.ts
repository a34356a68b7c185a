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
  /** What the output's last row holds; empty when it is complete. */
  #row = "";
  #below: "nothing" | "typing" | "status" = "nothing";
  #status = "";

  constructor(out: TerminalOutput, typed: () => TypedLine | undefined) {
    this.#out = out;
    this.#typed = typed;
  }

  write(text: string): void {
    this.#lift();
    this.#out.write(text);
    this.#row = lastRow(this.#row + text, this.#columns);
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
    if (typed && this.isOpen && this.#row !== "") {
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

  get #columns(): number {
    return this.#out.columns || 80;
  }

  #lift(): void {
    const typed = this.#typed();
    if (this.#below === "nothing" || !typed) return;
    if (this.#below === "typing") hide(typed);
    const back = this.#row === "" ? "" : `${up(1)}${this.#row}`;
    this.#out.write(`${CLEAR}${back}`);
    if (this.#below === "status") this.#below = "nothing";
  }

  #lower(): void {
    const typed = this.#typed();
    if (!typed) return;
    const isTyping = this.#below === "typing";
    if (!isTyping && this.#status === "") return;
    if (this.#row !== "") this.#out.write("\n");
    if (isTyping) {
      typed.prompt(true);
    } else {
      this.#out.write(shorten(this.#status, this.#columns - 1));
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
const up = (rows: number): string => `\x1b[${rows}A\r`;
