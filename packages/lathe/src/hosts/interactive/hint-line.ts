// A line above the status line that disappears by itself: what was just done, or what a second key press would do.

import { type RenderContext, type Row, row, shorten } from "@lathe/tui";
import type { Machine } from "../../platform/machine/machine.ts";
import { COUNTS_FOR_MS } from "./second-press.ts";

export class HintLine {
  readonly #setTimer: Machine["deps"]["setTimer"];
  readonly #onChange: () => void;
  #text = "";
  #timer: { cancel(): void } | undefined;

  constructor(setTimer: Machine["deps"]["setTimer"], onChange: () => void) {
    this.#setTimer = setTimer;
    this.#onChange = onChange;
  }

  show(text: string): void {
    this.#timer?.cancel();
    this.#text = text;
    this.#timer = this.#setTimer(() => {
      this.#text = "";
      this.#onChange();
    }, COUNTS_FOR_MS);
    this.#onChange();
  }

  /** Cancels the timer, so that the process can exit at once. */
  end(): void {
    this.#timer?.cancel();
  }

  rows({ columns }: RenderContext): readonly Row[] {
    return this.#text === "" ? [] : [row(shorten(this.#text, columns), { color: "warning" })];
  }
}
