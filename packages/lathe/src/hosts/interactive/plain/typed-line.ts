// The line being typed in plain mode. What is on the screen is only ever added to: output waits for a pause in the typing, and the
// line is then written again below it.

import { graphemes, type KeyPress } from "@lathe/tui";

export interface PlainScreen {
  write(text: string): void;
  setTimer(callback: () => void, ms: number): { cancel(): void };
}

/** A user who has not typed for so long is reading. */
const PAUSE_MS = 1_500;
/** Takes the last character off the line, as the terminal itself does it. */
const RUB_OUT = "\b \b";

export class TypedLine {
  readonly #screen: PlainScreen;
  readonly #pastes: string[] = [];
  #prompt = "";
  #text = "";
  /** Nothing of the text is written. */
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

  /** The line with the pasted text in place of its marks. */
  get whole(): string {
    return this.#text.replace(
      /\[paste (\d+): \d+ lines\]/g,
      (mark, number) => this.#pastes[Number(number) - 1] ?? mark,
    );
  }

  /** Output above the line. */
  print(text: string): void {
    if (this.#isOpen && this.#text !== "") {
      this.#held += text;
      this.#pause ??= this.#screen.setTimer(() => this.#release(), PAUSE_MS);
      return;
    }
    this.#leave();
    this.#screen.write(text);
  }

  /** Shows the line to type in. Returns what was typed at the one before. */
  open(prompt: string, text: string, isSecret = false): string {
    const before = this.#text;
    this.#release();
    this.#isSecret = isSecret;
    this.#prompt = prompt;
    this.#text = text;
    this.#show();
    return before;
  }

  /** The line is finished: what follows begins a new one. */
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

  /** Whether the key was for the line. */
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

  /** Before each key: the pause begins anew. */
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
