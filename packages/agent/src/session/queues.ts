// Messages waiting for their moment: steering for the next drain, follow-ups for the end of the input. Each carries the
// id that its journal entry will have, so a reopened journal knows which were delivered.

import type { InputContent } from "../events/types.ts";
import type { QueueMode } from "./config.ts";

export type QueueName = "steering" | "follow_up";

export interface QueuedMessage {
  readonly id: string;
  readonly content: InputContent;
}

export class MessageQueue {
  #items: QueuedMessage[] = [];

  get length(): number {
    return this.#items.length;
  }

  list(): readonly QueuedMessage[] {
    return [...this.#items];
  }

  add(message: QueuedMessage): void {
    this.#items.push(message);
  }

  edit(id: string, content: InputContent): boolean {
    const at = this.#items.findIndex((item) => item.id === id);
    if (at < 0) return false;
    this.#items[at] = { id, content };
    return true;
  }

  cancel(id: string): boolean {
    const before = this.#items.length;
    this.#items = this.#items.filter((item) => item.id !== id);
    return this.#items.length < before;
  }

  take(mode: QueueMode): readonly QueuedMessage[] {
    return this.#items.splice(0, mode === "all" ? this.#items.length : 1);
  }
}
