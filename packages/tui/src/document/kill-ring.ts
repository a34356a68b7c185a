// Deleted text that can be inserted again. Consecutive deletions make one entry.

const LIMIT = 60;

export class KillRing {
  #entries: string[] = [];

  get newest(): string | undefined {
    return this.#entries.at(-1);
  }

  get entries(): readonly string[] {
    return this.#entries;
  }

  add(text: string): void {
    if (text === "") return;
    this.#entries.push(text);
    if (this.#entries.length > LIMIT) this.#entries.shift();
  }

  /** Extends the newest entry at its front or end. */
  join(text: string, where: "before" | "after"): void {
    const last = this.#entries.pop() ?? "";
    this.add(where === "before" ? text + last : last + text);
  }

  /** Makes the newest entry the oldest; returns the new newest. */
  rotate(): string | undefined {
    const last = this.#entries.pop();
    if (last !== undefined) this.#entries.unshift(last);
    return this.newest;
  }
}
