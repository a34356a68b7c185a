// What was lost on opening and reading a journal. The list stays short even if every line of the file is damaged.

import type { JournalLoss } from "../../contract/journal.ts";

/** A reader needs no more lines; the rest is only counted. */
const MOST_LISTED = 100;

export class LossList {
  readonly #listed: JournalLoss[] = [];
  readonly #messages = new Set<string>();
  #more = 0;

  /** Reported once, however often it occurs. */
  add(loss: JournalLoss): void {
    if (this.#messages.has(loss.message)) return;
    if (this.#listed.length === MOST_LISTED) {
      this.#more++;
      return;
    }
    this.#listed.push(loss);
    this.#messages.add(loss.message);
  }

  /** Removes a loss that turned out to be none. */
  takeBack(loss: JournalLoss): void {
    const at = this.#listed.indexOf(loss);
    if (at !== -1) this.#listed.splice(at, 1);
    else this.#more--;
    this.#messages.delete(loss.message);
  }

  get list(): readonly JournalLoss[] {
    if (this.#more === 0) return [...this.#listed];
    const message = `${this.#more} more lines are damaged or unusable.`;
    return [...this.#listed, { kind: "corrupt_line", line: 0, bytes: 0, message }];
  }
}
