// The size of the window as the terminal itself has it. tmux rearranges the rows of a window at once, but tells programs of a further change within
// 250 ms only after that time: until then the system has a size that is no longer true, and a frame that is made for it is drawn over other rows.
// So tmux is asked before each frame.

import { afterReading } from "./after-reading.ts";
import type { TerminalEnv } from "./sequences.ts";

export interface WindowSize {
  readonly columns: number;
  readonly rows: number;
}

export const SIZE_QUESTION = "\x1b[18t";
export const SIZE_ANSWER = /\x1b\[8;\d+;\d+t/;
/** A terminal that has not answered by then gets its frame anyway, and is not waited for until it answers again. */
const ANSWER_MS = 150;
/** A change is seldom the last one: no frame before the size has been the same for this long… */
const SETTLED_MS = 30;
/** …or has changed for this long. */
const UNSETTLED_MS = 300;

/** Whether the system learns of a change later than rows are rearranged. Only tmux on this machine: over a network every frame would wait for the answer. */
export const isToldLate = (env: TerminalEnv): boolean => env.TMUX !== undefined;

export class WindowSizeQuestion {
  readonly #ask: () => void;
  readonly #system: () => WindowSize;
  #said: WindowSize | undefined;
  /** Rows come first in the answer, but tmux 3.3a says the columns first. Undefined until an answer has shown which. */
  #isSwapped: boolean | undefined;
  #isSilent = false;
  #isAsked = false;
  #cancel = (): void => {};
  #changedSince: number | undefined;
  #call: (() => void) | undefined;

  constructor(ask: () => void, system: () => WindowSize) {
    this.#ask = ask;
    this.#system = system;
  }

  get size(): WindowSize {
    return this.#said ?? this.#system();
  }

  /** The answer to a question is still to come. */
  get isAsked(): boolean {
    return this.#isAsked;
  }

  /** Calls when `size` is right. */
  confirm(call: () => void): void {
    this.#call = call;
    this.#askNow();
    if (this.#isSilent) this.#finish();
  }

  handleAnswer(values: readonly [number, number]): void {
    this.#isAsked = false;
    this.#isSilent = false;
    this.#cancel();
    const before = this.#said;
    this.#said = this.#read(values);
    const isSame = before === undefined || isSameSize(before, this.size);
    if (isSame) this.#changedSince = undefined;
    else this.#changedSince ??= performance.now();
    if (this.#changedSince === undefined || performance.now() - this.#changedSince > UNSETTLED_MS) this.#finish();
    else if (this.#call !== undefined) this.#cancel = afterReading(SETTLED_MS, () => this.#askNow());
  }

  /** The caller does not wait any more. */
  stop(): void {
    this.#cancel();
    this.#call = undefined;
    this.#isAsked = false;
  }

  #askNow(): void {
    this.#cancel();
    this.#ask();
    this.#isAsked = true;
    this.#cancel = afterReading(ANSWER_MS, () => {
      this.#isSilent = true;
      this.#said = undefined;
      this.#finish();
    });
  }

  #finish(): void {
    const call = this.#call;
    this.#call = undefined;
    this.#changedSince = undefined;
    call?.();
  }

  #read([first, second]: readonly [number, number]): WindowSize | undefined {
    const straight = { rows: first, columns: second };
    const swapped = { rows: second, columns: first };
    if (this.#isSwapped === undefined) {
      const system = this.#system();
      const [isStraight, isSwapped] = [isSameSize(straight, system), isSameSize(swapped, system)];
      if (isStraight !== isSwapped) this.#isSwapped = isSwapped;
    }
    if (this.#isSwapped === undefined) return undefined;
    return this.#isSwapped ? swapped : straight;
  }
}

const isSameSize = (one: WindowSize, other: WindowSize): boolean =>
  one.columns === other.columns && one.rows === other.rows;
