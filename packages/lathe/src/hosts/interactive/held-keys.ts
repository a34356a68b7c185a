// Holds back keys between two questions of a dialogue that asks for a secret. They were meant for the question that is
// about to open, so they wait for it instead of reaching the composer, where Enter would send them to the model.

import type { Key } from "@lathe/tui";

/** When holding begins: what is typed before onboarding's first question is a request and belongs in the composer. */
export type HoldsFrom = "the start" | "its first question";

export class HeldKeys {
  readonly #replay: (key: Key) => void;
  readonly #isAsking: () => boolean;
  readonly #dialogues: { hasAsked: boolean }[] = [];
  readonly #keys: Key[] = [];

  constructor(parts: { replay(key: Key): void; isAsking(): boolean }) {
    this.#replay = parts.replay;
    this.#isAsking = parts.isAsking;
  }

  async during<T>(from: HoldsFrom, work: () => Promise<T>): Promise<T> {
    const dialogue = { hasAsked: from === "the start" };
    this.#dialogues.push(dialogue);
    try {
      return await work();
    } finally {
      this.#dialogues.splice(this.#dialogues.indexOf(dialogue), 1);
      if (this.#dialogues.length === 0) this.#releaseToComposer();
    }
  }

  /** Takes a key that must wait; false: it is handled at once. */
  takes(key: Key): boolean {
    if (!this.#dialogues.some(({ hasAsked }) => hasAsked) || !isTyped(key)) return false;
    this.#keys.push(key);
    return true;
  }

  /** A question is open and has the focus, so it gets the held keys. */
  release(): void {
    for (const dialogue of this.#dialogues) dialogue.hasAsked = true;
    // One of them may close the question; the rest waits for the next one.
    while (this.#isAsking()) {
      const key = this.#keys.shift();
      if (key === undefined) return;
      this.#replay(key);
    }
  }

  /** No question came: the text goes to the composer where the user sees it, and Enter is dropped. */
  #releaseToComposer(): void {
    for (const key of this.#keys.splice(0)) if (key.kind !== "key" || key.name !== "enter") this.#replay(key);
  }
}

/** Keys that stop or quit take effect at once. */
export const isTyped = (key: Key): boolean =>
  key.kind === "paste" || (key.kind === "key" && !key.ctrl && !key.alt && key.name !== "escape");
