// Collects the highlighter's output as spans instead of HTML. Only the last line is kept, since those above have been
// shown.

import type { Emitter } from "highlight.js";
import type { Style } from "../rows/row.ts";
import { PLAIN_CODE, tokenStyle } from "./token-styles.ts";

interface Piece {
  text: string;
  /** Undefined to look like the surrounding text. */
  readonly style: Style | undefined;
}

export class LineEmitter implements Emitter {
  #pieces: Piece[] = [];
  #hasLineEnd = false;
  readonly #styles: (Style | undefined)[] = [];

  get spans(): { readonly text: string; readonly style: Style }[] {
    return this.#pieces.map(({ text, style = PLAIN_CODE }) => ({ text, style }));
  }

  // The highlighter calls each of these two methods by both of its names.
  startScope(scope: string): void {
    this.openNode(scope);
  }

  endScope(): void {
    this.closeNode();
  }

  openNode(scope: string): void {
    // A scope without its own colour keeps the colour around it.
    this.#styles.push(tokenStyle(scope) ?? this.#styles.at(-1));
  }

  closeNode(): void {
    this.#styles.pop();
  }

  addText(text: string): void {
    const lineEnd = text.lastIndexOf("\n");
    if (lineEnd >= 0) this.#newLine();
    this.#append(lineEnd < 0 ? text : text.slice(lineEnd + 1), this.#styles.at(-1));
  }

  __addSublanguage(emitter: Emitter): void {
    const inner = emitter as LineEmitter;
    if (inner.#hasLineEnd) this.#newLine();
    for (const { text, style } of inner.#pieces) this.#append(text, style ?? this.#styles.at(-1));
  }

  finalize(): void {}

  toHTML(): string {
    return "";
  }

  #newLine(): void {
    this.#pieces = [];
    this.#hasLineEnd = true;
  }

  /** Every change of colour costs bytes, so blanks take the colour of their neighbour. */
  #append(text: string, style: Style | undefined): void {
    if (text === "") return;
    const last = this.#pieces.at(-1);
    if (last !== undefined && (last.style === style || isBlank(text))) last.text += text;
    else if (last !== undefined && isBlank(last.text))
      this.#pieces[this.#pieces.length - 1] = { text: last.text + text, style };
    else this.#pieces.push({ text, style });
  }
}

const isBlank = (text: string): boolean => text.trim() === "";
