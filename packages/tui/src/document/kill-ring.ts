// What was deleted, to be inserted again. Deletions in a row make one entry.

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

  /** The deletion goes on: in front of the newest entry, or behind it. */
  join(text: string, where: "before" | "after"): void {
    const last = this.#entries.pop() ?? "";
    this.add(where === "before" ? text + last : last + text);
  }

  /** The newest becomes the oldest; returns the one that is newest now. */
  rotate(): string | undefined {
    const last = this.#entries.pop();
    if (last !== undefined) this.#entries.unshift(last);
    return this.newest;
  }
}
