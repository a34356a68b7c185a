// What takes the composer's place for a while: questions of the agent, lists that a command opens. A question that comes up while
// the user types does not take the keys: it waits for a pause with nothing typed, or for the key that goes to it. One that follows
// another question has them at once, and ignores for a moment what was meant for the one before.

import type { Focusable } from "@lathe/tui";

export interface Panel {
  readonly component: Focusable & {
    /** What the keys do, while they go to it. */
    readonly hint: string;
    /** What the agents do is seen in it. */
    readonly showsAgents?: boolean;
  };
  /** The agent opened it, not the user. */
  readonly byAgent: boolean;
  /** Given up with Esc or Ctrl+C. */
  cancel(): void;
}

export interface PanelStackParts {
  now(): number;
  setTimer(callback: () => void, ms: number): { cancel(): void };
  /** Nothing is typed. */
  isComposerEmpty(): boolean;
  /** A panel that the user has asked for is open and gets the keys. */
  onOpen(): void;
  /** The screen has to be drawn again. */
  onChange(): void;
}

/** A question takes the keys after this pause since the last key. */
const PAUSE_MS = 700;
/** A key pressed sooner after a question came up was not meant for it. */
const REACTION_MS = 300;

const WAITS = "You're typing a message. Tab to answer.";
const DEAF = "New question: it takes keys in a moment";

export class PanelStack {
  readonly #parts: PanelStackParts;
  /** The first is shown. */
  readonly #panels: Panel[] = [];
  #shownAt = 0;
  /** When the user last typed into the composer. */
  #lastTyped = Number.NEGATIVE_INFINITY;
  /** When the user last answered a question of the agent. */
  #lastAnswered = Number.NEGATIVE_INFINITY;
  #hasFocus = false;
  /** The person went to the input: a pause there is no way back. */
  #wasLeft = false;
  #deafUntil = Number.NEGATIVE_INFINITY;
  #noEnterUntil = Number.NEGATIVE_INFINITY;
  #timer: { cancel(): void } | undefined;
  #hearing: { cancel(): void } | undefined;

  constructor(parts: PanelStackParts) {
    this.#parts = parts;
  }

  get shown(): Panel | undefined {
    return this.#panels[0];
  }

  /** The panel that gets the keys. */
  get focused(): Panel | undefined {
    return this.#hasFocus ? this.shown : undefined;
  }

  /** The panel has the keys, but those that come now were meant for the question before it. */
  get isDeaf(): boolean {
    return this.#hasFocus && this.#parts.now() < this.#deafUntil;
  }

  /** What keys do now, to be read below the panel. */
  get hint(): string {
    if (!this.focused) return WAITS;
    const waiting = this.#panels.slice(1).filter(({ byAgent }) => byAgent).length;
    const more = waiting === 0 ? [] : [`${waiting} more ${waiting === 1 ? "question waiting" : "questions waiting"}`];
    return [this.isDeaf ? DEAF : this.focused.component.hint, ...more].join(" · ");
  }

  /** What the person opens comes before what waits for them. */
  open(panel: Panel): void {
    if (panel.byAgent) this.#panels.push(panel);
    else this.#panels.unshift(panel);
    if (this.shown === panel) this.#show();
    if (!panel.byAgent) this.#parts.onOpen();
  }

  close(panel: Panel): void {
    const at = this.#panels.indexOf(panel);
    if (at < 0) return;
    this.#panels.splice(at, 1);
    if (at === 0) this.#show();
    else this.#parts.onChange();
  }

  /** Gives the keys to the question because the user asked for it. */
  focus(): void {
    this.#hasFocus = this.shown !== undefined;
    this.#wasLeft = false;
    this.#parts.onChange();
  }

  /** By the person's own wish, too: only they go back. */
  unfocus(): void {
    this.#hasFocus = false;
    this.#wasLeft = true;
    this.#parts.onChange();
  }

  /** Every key, before anything is done with it. */
  keyPressed(): void {
    if (this.focused?.byAgent) this.#lastAnswered = this.#parts.now();
    else this.#lastTyped = this.#parts.now();
  }

  /** Before a panel closes because another has answered: keys on their way to it are no answer to what comes next. */
  takenAway(panel: Panel, byAnother: boolean): void {
    if (this.focused !== panel) return;
    this.#lastTyped = this.#parts.now();
    if (byAnother) this.#noEnterUntil = this.#lastTyped + PAUSE_MS;
  }

  /** Enter that comes now was meant for a question that is gone. */
  get isEnterLate(): boolean {
    return this.#parts.now() < this.#noEnterUntil;
  }

  /** The panel that has the keys asks something else now. */
  asksNext(): void {
    this.#shownAt = this.#parts.now();
    this.#listenSoon();
    this.#parts.onChange();
  }

  /** Whether a panel waits for the composer to be left. Called after each key, too. */
  settle(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#hasFocus || this.#wasLeft || !this.shown || !this.#parts.isComposerEmpty()) return;
    const due = Math.max(this.#lastTyped + PAUSE_MS, this.#shownAt + REACTION_MS) - this.#parts.now();
    if (due <= 0) this.focus();
    else this.#timer = this.#parts.setTimer(() => this.settle(), due);
  }

  #show(): void {
    this.#shownAt = this.#parts.now();
    this.#wasLeft = false;
    this.#hasFocus = this.shown !== undefined && (!this.shown.byAgent || this.#isAnswering);
    if (this.#hasFocus && this.shown?.byAgent) this.#listenSoon();
    this.settle();
    this.#parts.onChange();
  }

  /** The last key went to a question a moment ago: the user is answering, not writing. */
  get #isAnswering(): boolean {
    return this.#lastAnswered > this.#lastTyped && this.#parts.now() - this.#lastAnswered < PAUSE_MS;
  }

  #listenSoon(): void {
    this.#deafUntil = this.#shownAt + REACTION_MS;
    this.#hearing?.cancel();
    this.#hearing = this.#parts.setTimer(() => {
      // A timer may come a moment before the clock says so: the hint must not stay.
      this.#deafUntil = Number.NEGATIVE_INFINITY;
      this.#parts.onChange();
    }, REACTION_MS);
  }
}
