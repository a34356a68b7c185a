// The input line in plain mode. Nothing on the screen is erased: output waits for a pause in the typing, and the line
// is then written again below it.

import { graphemes, type KeyPress } from "@lathe/tui";

export interface PlainScreen {
  write(text: string): void;
  setTimer(callback: () => void, ms: number): { cancel(): void };
}

/** A user who has not typed for this long is reading. */
const PAUSE_MS = 1_500;
/** Erases the last character of the line, as the terminal itself does. */
const RUB_OUT = "\b \b";

export class TypedLine {
  readonly #screen: PlainScreen;
  readonly #pastes: string[] = [];
  #prompt = "";
  #text = "";
  /** The typed text is not shown. */
  #isSecret = false;
  /** Prompt and text are the last thing on the screen. */
  #isOpen = false;
  #held = "";
  #pause: { cancel(): void } | undefined;

  constructor(screen: PlainScreen) {
    this.#screen = screen;
  }

  get text(): string {
    return this.#text;
  }

  /** The line with pasted text in place of its marks. */
  get whole(): string {
    return this.#text.replace(
      /\[paste (\d+): \d+ lines\]/g,
      (mark, number) => this.#pastes[Number(number) - 1] ?? mark,
    );
  }

  /** Prints output above the line. */
  print(text: string): void {
    if (this.#isOpen && this.#text !== "") {
      this.#held += text;
      this.#pause ??= this.#screen.setTimer(() => this.#release(), PAUSE_MS);
      return;
    }
    this.#leave();
    this.#screen.write(text);
  }

  /** Shows a new input line. Returns what was typed in the previous one. */
  open(prompt: string, text: string, isSecret = false): string {
    const before = this.#text;
    this.#release();
    this.#isSecret = isSecret;
    this.#prompt = prompt;
    this.#text = text;
    this.#show();
    return before;
  }

  /** Finishes the line; later output starts on a new one. */
  close(): void {
    if (!this.#isOpen) this.#show();
    this.#isOpen = false;
    this.#isSecret = false;
    this.#screen.write("\n");
    this.#text = "";
    this.#release();
  }

  paste(text: string): void {
    const lines = text.replace(/\n+$/, "").split("\n").length;
    if (lines > 1) this.#pastes.push(text.replace(/\n+$/, ""));
    this.insert(lines > 1 ? `[paste ${this.#pastes.length}: ${lines} lines]` : text.replace(/\s+/g, " "));
  }

  insert(text: string): void {
    this.#touch();
    this.#text += text;
    if (!this.#isSecret) this.#screen.write(text);
  }

  /** Handles an editing key; false if it is none. */
  edit(key: KeyPress): boolean {
    const { name, ctrl, alt, text } = key;
    if (text !== undefined) this.insert(text);
    else if (name === "space" && !ctrl && !alt) this.insert(" ");
    else if (name === "backspace") this.#rubOut(1);
    else if (ctrl && name === "w") this.#rubOut(graphemes(/\S*\s*$/.exec(this.#text)?.[0] ?? "").length);
    else if (ctrl && name === "u") this.#rubOut(graphemes(this.#text).length);
    else return false;
    return true;
  }

  #rubOut(count: number): void {
    this.#touch();
    for (let i = 0; i < count && this.#text !== ""; i++) {
      const mark = /\[paste \d+: \d+ lines\]$/.exec(this.#text)?.[0];
      const last = graphemes(this.#text).at(-1);
      const gone = mark ?? last?.text ?? "";
      if (!this.#isSecret) this.#screen.write(RUB_OUT.repeat(mark?.length ?? last?.width ?? 0));
      this.#text = this.#text.slice(0, this.#text.length - gone.length);
    }
  }

  /** Called for each key: restarts the pause. */
  #touch(): void {
    if (!this.#isOpen) this.#show();
    if (!this.#pause) return;
    this.#pause.cancel();
    this.#pause = this.#screen.setTimer(() => this.#release(), PAUSE_MS);
  }

  #show(): void {
    this.#leave();
    this.#screen.write(`${this.#prompt}${this.#isSecret ? "" : this.#text}`);
    this.#isOpen = true;
  }

  #leave(): void {
    if (this.#isOpen) this.#screen.write("\n");
    this.#isOpen = false;
  }

  #release(): void {
    this.#pause?.cancel();
    this.#pause = undefined;
    if (this.#held === "") return;
    this.#leave();
    this.#screen.write(this.#held);
    this.#held = "";
  }
}
