// The window size as the terminal itself reports it. tmux rearranges the rows of a window at once, but delays reports
// of resizes that follow within 250 ms. Until then the system reports an outdated size, and a frame for that size
// overwrites the wrong rows. So we ask tmux before each frame.

import { afterReading } from "./after-reading.ts";
import type { TerminalEnv } from "./sequences.ts";

export interface WindowSize {
  readonly columns: number;
  readonly rows: number;
}

export const SIZE_QUESTION = "\x1b[18t";
export const SIZE_ANSWER = /\x1b\[8;\d+;\d+t/;
/** If the terminal has not answered by then, the frame is drawn anyway, and we stop waiting until it answers again. */
const ANSWER_MS = 150;
/** Resizes come in series: no frame before the size was stable for this long… */
const SETTLED_MS = 30;
/** …or has kept changing for this long. */
const UNSETTLED_MS = 300;

/**
 * Whether resizes are reported later than rows are rearranged. Only for a local tmux: over a network, every frame would
 * wait for the answer.
 */
export const isToldLate = (env: TerminalEnv): boolean => env.TMUX !== undefined;

export class WindowSizeQuestion {
  readonly #ask: () => void;
  readonly #system: () => WindowSize;
  #said: WindowSize | undefined;
  /**
   * The answer should give rows first, but tmux 3.3a gives columns first. Undefined until an answer has shown which.
   */
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

  /** Whether an answer is outstanding. */
  get isAsked(): boolean {
    return this.#isAsked;
  }

  /** Calls back when `size` is correct. */
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

  /** Stops waiting. */
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
