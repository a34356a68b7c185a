// What is typed, on its way from the terminal to readline. Text that comes in one piece is put into the line here: readline sends it
// line by line, and appends it to the line wherever the cursor is. Several pasted lines become one mark, so that they are sent
// together and as they were.

import { PassThrough } from "node:stream";
import { StringDecoder } from "node:string_decoder";

/** Asks the terminal to put pasted text between brackets, and not to. */
export const BRACKETS = { on: "\x1b[?2004h", off: "\x1b[?2004l" };
const BEGIN = "\x1b[200~";
const END = "\x1b[201~";

export interface Typist {
  /** Before anything is done with a key. */
  begin(key: string): void;
  insert(text: string): void;
}

/** Fit to be readline's input. */
export class TypedInput extends PassThrough {
  readonly isTTY = true;
  readonly #stdin: NodeJS.ReadStream;
  readonly #typist: Typist | undefined;
  readonly #decoder = new StringDecoder("utf8");
  readonly #pastes: string[] = [];
  /** The beginning of a key, or of a bracket. */
  #rest = "";
  #pasted: string | undefined;

  /** Without a typist, everything goes to readline as it comes. */
  constructor(stdin: NodeJS.ReadStream, typist?: Typist) {
    super();
    this.#stdin = stdin;
    this.#typist = typist;
    stdin.on("data", this.#read);
    // A question that was asked before (which session to resume) has left it paused, and then a listener alone starts nothing.
    stdin.resume();
    stdin.once("end", () => this.emit("end"));
  }

  setRawMode(raw: boolean): this {
    this.#stdin.setRawMode?.(raw);
    return this;
  }

  /** Gives the terminal back. */
  close(): void {
    this.#stdin.off("data", this.#read);
    this.#stdin.pause();
  }

  /** A line with the pasted text in place of its marks. */
  expand(line: string): string {
    return line.replace(/\[paste (\d+): \d+ lines\]/g, (mark, number) => this.#pastes[Number(number) - 1] ?? mark);
  }

  readonly #read = (chunk: Buffer | string): void => {
    let text = this.#rest + (typeof chunk === "string" ? chunk : this.#decoder.write(chunk));
    this.#rest = "";
    while (text !== "") {
      const bracket = this.#pasted === undefined ? BEGIN : END;
      const at = text.indexOf(bracket);
      if (at === -1) break;
      this.#take(text.slice(0, at));
      if (this.#pasted === undefined) this.#pasted = "";
      else this.#paste();
      text = text.slice(at + bracket.length);
    }
    const begun = BEGUN.exec(text)?.[0] ?? "";
    // A lone Escape is a key.
    this.#rest = begun === "\x1b" && this.#pasted === undefined ? "" : begun;
    this.#take(text.slice(0, text.length - this.#rest.length));
  };

  #take(text: string): void {
    if (this.#pasted !== undefined) this.#pasted += text;
    else if (this.#typist) for (const key of text.match(KEYS) ?? []) this.#key(key, this.#typist);
    else if (text !== "") this.emit("data", text);
  }

  #key(key: string, typist: Typist): void {
    typist.begin(key);
    if (key >= " " && [...key].length > 1) typist.insert(key);
    else this.emit("data", key);
  }

  #paste(): void {
    const text = (this.#pasted ?? "").replace(/\r\n?/g, "\n").replace(/\n+$/, "");
    this.#pasted = undefined;
    const lines = text.split("\n").length;
    if (lines > 1) this.#pastes.push(text);
    const shown = lines > 1 ? `[paste ${this.#pastes.length}: ${lines} lines]` : text.replace(CONTROL, " ");
    if (shown === "") return;
    this.#typist?.begin(shown);
    this.#typist?.insert(shown);
  }
}

/** An escape sequence, a control character, or text. */
const KEYS = /\x1b(?:\[[0-9;?]*[ -/]*[@-~]|O.|.)?|[\x00-\x1a\x1c-\x1f\x7f]|[^\x00-\x1f\x7f]+/gsu;
const CONTROL = /[\x00-\x1f\x7f]+/g;
const BEGUN = /\x1b(?:\[[0-9;?]*)?$/;
