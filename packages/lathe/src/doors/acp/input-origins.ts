// Tracks who sent the inputs of an editor's session: the editor has already shown its own prompts, but must be told
// about those of other clients at the session's local door.

import type { SessionEvent } from "@lathe/agent";
import { isOwn as isPersons } from "../../conversation/unsent-messages.ts";

export class InputOrigins {
  readonly #own = new Set<string>();
  #isOwnNext = false;
  #hasOthers = false;
  readonly #onEnd = new Set<() => void>();

  /** Set while the next input is the editor's own prompt. */
  set isOwnNext(isOwnNext: boolean) {
    this.#isOwnNext = isOwnNext;
  }

  onEvent(event: SessionEvent): void {
    if (event.kind === "processing_end") {
      this.#hasOthers = false;
      for (const tell of this.#onEnd) tell();
      this.#onEnd.clear();
    }
    if (event.kind !== "user_input" || !isPersons(event.data)) return;
    if (this.#isOwnNext) this.#own.add(event.data.entry_id);
    else this.#hasOthers = true;
    this.#isOwnNext = false;
  }

  isOwn(entryId: string): boolean {
    return this.#own.has(entryId);
  }

  /** Whether the session is working on another client's input. */
  get hasOthers(): boolean {
    return this.#hasOthers;
  }

  /** Resolves when the current work ends. */
  waitForEnd(): Promise<void> {
    return new Promise((resolve) => this.#onEnd.add(resolve));
  }
}
