// Who gets the keys: the one that was put on top last. What it does not want stops there, unless it lets keys through.

import type { Focusable } from "../component.ts";
import type { Key } from "../keys/key.ts";

interface Entry {
  readonly target: Focusable;
  readonly letsThrough: boolean;
}

export class Focus {
  #stack: readonly Entry[] = [];

  /** The one on top. */
  get current(): Focusable | undefined {
    return this.#stack.at(-1)?.target;
  }

  /** The overlays from the bottom up. */
  get all(): readonly Focusable[] {
    return this.#stack.map(({ target }) => target);
  }

  /** `letsThrough`: keys it does not handle go to the one below, as from a panel beside an editor; a dialog keeps them from it. */
  push(target: Focusable, { letsThrough = false }: { readonly letsThrough?: boolean } = {}): void {
    this.pop(target);
    this.#stack = [...this.#stack, { target, letsThrough }];
  }

  /** From wherever it is: a dialog that closes late takes nothing else with it. */
  pop(target: Focusable): void {
    this.#stack = this.#stack.filter((entry) => entry.target !== target);
  }

  handle(key: Key): boolean {
    for (const { target, letsThrough } of this.#stack.toReversed()) {
      if (target.handle(key)) return true;
      if (!letsThrough) return false;
    }
    return false;
  }
}
