// Panels that replace the composer for a while: questions of the agent, lists that a command opens. A question that
// appears while the user types does not take the keys: it waits for a pause with an empty composer, or for Tab. A
// question that follows another gets the keys at once, but ignores keys for a moment, because they were meant for the
// previous one.

import type { Focusable } from "@lathe/tui";

export interface Panel {
  readonly component: Focusable & {
    /** What the keys do while the panel has them. */
    readonly hint: string;
    /** The panel shows what the agents do. */
    readonly showsAgents?: boolean;
  };
  /** The agent opened the panel, not the user. */
  readonly byAgent: boolean;
  /** Called for Esc or Ctrl+C. */
  cancel(): void;
}

export interface PanelStackParts {
  now(): number;
  setTimer(callback: () => void, ms: number): { cancel(): void };
  /** Whether nothing is typed. */
  isComposerEmpty(): boolean;
  /** Called when a panel that the user asked for is open and gets the keys. */
  onOpen(): void;
  /** Called when the screen has to be drawn again. */
  onChange(): void;
}

/** A question gets the keys after this pause since the last key. */
const PAUSE_MS = 700;
/** A key pressed sooner than this after a question appeared was not meant for it. */
const REACTION_MS = 300;

const WAITS = "You're typing a message. Tab to answer.";
const DEAF = "New question: it accepts keys in a moment";

export class PanelStack {
  readonly #parts: PanelStackParts;
  /** The first one is shown. */
  readonly #panels: Panel[] = [];
  #shownAt = 0;
  /** When the user last typed into the composer. */
  #lastTyped = Number.NEGATIVE_INFINITY;
  /** When the user last answered a question of the agent. */
  #lastAnswered = Number.NEGATIVE_INFINITY;
  #hasFocus = false;
  /** The user left the question for the composer: a pause does not go back to it. */
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

  /** The panel has the keys, but those that come now were meant for the previous question. */
  get ignoresKeys(): boolean {
    return this.#hasFocus && this.#parts.now() < this.#deafUntil;
  }

  /** What keys do now, shown below the panel. */
  get hint(): string {
    if (!this.focused) return WAITS;
    const waiting = this.#panels.slice(1).filter(({ byAgent }) => byAgent).length;
    const more = waiting === 0 ? [] : [`${waiting} more ${waiting === 1 ? "question waiting" : "questions waiting"}`];
    return [this.ignoresKeys ? DEAF : this.focused.component.hint, ...more].join(" · ");
  }

  /** Panels that the user opens come before those that wait for the user. */
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

  /** The user leaves the question; only the user goes back to it. */
  unfocus(): void {
    this.#hasFocus = false;
    this.#wasLeft = true;
    this.#parts.onChange();
  }

  /** Called for every key before it is handled. */
  keyPressed(): void {
    if (this.focused?.byAgent) this.#lastAnswered = this.#parts.now();
    else this.#lastTyped = this.#parts.now();
  }

  /**
   * Called before a panel closes because the question was answered elsewhere: keys meant for it must not answer the
   * next one.
   */
  noteTakenAway(panel: Panel, byAnother: boolean): void {
    if (this.focused !== panel) return;
    this.#lastTyped = this.#parts.now();
    if (byAnother) this.#noEnterUntil = this.#lastTyped + PAUSE_MS;
  }

  /** Enter that comes now was meant for a question that is gone. */
  get isEnterLate(): boolean {
    return this.#parts.now() < this.#noEnterUntil;
  }

  /** The panel that has the keys now asks something else. */
  noteNextQuestion(): void {
    this.#shownAt = this.#parts.now();
    this.#listenSoon();
    this.#parts.onChange();
  }

  /** Gives a waiting panel the keys once the composer is empty and a pause has passed. Called after each key too. */
  focusWhenDue(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#hasFocus || this.#wasLeft || !this.shown || !this.#parts.isComposerEmpty()) return;
    const due = Math.max(this.#lastTyped + PAUSE_MS, this.#shownAt + REACTION_MS) - this.#parts.now();
    if (due <= 0) this.focus();
    else this.#timer = this.#parts.setTimer(() => this.focusWhenDue(), due);
  }

  #show(): void {
    this.#shownAt = this.#parts.now();
    this.#wasLeft = false;
    this.#hasFocus = this.shown !== undefined && (!this.shown.byAgent || this.#isAnswering);
    if (this.#hasFocus && this.shown?.byAgent) this.#listenSoon();
    this.focusWhenDue();
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
      // A timer may fire a moment before the clock reaches its time, but the hint must not stay.
      this.#deafUntil = Number.NEGATIVE_INFINITY;
      this.#parts.onChange();
    }, REACTION_MS);
  }
}
