// Vim's `/`: input of the search text, and finding it. The search wraps around; case matters only if the text contains
// capitals.

import type { Document } from "../document/document.ts";
import { isBefore, type Place } from "../document/place.ts";
import type { KeyPress } from "../keys/key.ts";

export class VimSearch {
  #typed: string | undefined;
  #words = "";

  /** The input with its leading `/`; undefined if no search is being typed. */
  get typed(): string | undefined {
    return this.#typed === undefined ? undefined : `/${this.#typed}`;
  }

  begin(): void {
    this.#typed = "";
  }

  cancel(): void {
    this.#typed = undefined;
  }

  /** Returns true when the input is complete. */
  press(key: KeyPress): boolean {
    if (this.#typed === undefined) return false;
    if (key.name === "enter") {
      if (this.#typed !== "") this.#words = this.#typed;
      this.#typed = undefined;
      return true;
    }
    if (key.name === "backspace") this.#typed = this.#typed === "" ? undefined : this.#typed.slice(0, -1);
    else if (!key.ctrl && !key.alt && !key.meta) this.#typed += key.text ?? "";
    return false;
  }

  /** The next match after or before the cursor; undefined if there is none. */
  find(text: Document, isForward: boolean): Place | undefined {
    if (this.#words === "") return undefined;
    const places = this.#places(text);
    const { cursor } = text;
    if (isForward) return places.find((place) => isBefore(cursor, place)) ?? places[0];
    return places.findLast((place) => isBefore(place, cursor)) ?? places.at(-1);
  }

  #places(text: Document): Place[] {
    const isExact = this.#words !== this.#words.toLowerCase();
    const words = isExact ? this.#words : this.#words.toLowerCase();
    return text.lines.flatMap((_, line) => {
      const content = isExact ? text.line(line) : text.line(line).toLowerCase();
      const places: Place[] = [];
      for (let at = content.indexOf(words); at >= 0; at = content.indexOf(words, at + 1))
        places.push({ line, offset: at });
      return places;
    });
  }
}
