// Whose inputs a session of an editor works on: the editor has shown its own prompts itself, those of the other clients at the
// session's local door it has to be told.

import type { SessionEvent } from "@lathe/agent";
import { isOwn as isPersons } from "../../conversation/unsent.ts";

export class InputOrigins {
  readonly #own = new Set<string>();
  #isOwnNext = false;
  #hasOthers = false;
  readonly #onEnd = new Set<() => void>();

  /** The next input is the editor's prompt, or is not any more. */
  set isOwnNext(isOwnNext: boolean) {
    this.#isOwnNext = isOwnNext;
  }

  /** Each event as it happens. */
  heard(event: SessionEvent): void {
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

  /** What another client asked for is being worked on. */
  get hasOthers(): boolean {
    return this.#hasOthers;
  }

  /** Settles with the end of the present work. */
  ended(): Promise<void> {
    return new Promise((resolve) => this.#onEnd.add(resolve));
  }
}
