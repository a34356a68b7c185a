// Everything that reaches a session from outside while it works: one queue, in order of arrival. Steering waits for the
// next drain point, follow-ups for the end of the input. Each message has the id that its journal entry will get, so a
// reopened journal knows which ones were delivered, and says who sent it.

import type { InputContent, MessageSource } from "../contract/events/types.ts";
import type { QueueMode } from "./config.ts";

/** When a queued message is delivered: into the running input or after it. */
export type Delivery = "steering" | "follow_up";

/** A message that waits to be delivered. */
export interface QueuedMessage {
  readonly id: string;
  readonly content: InputContent;
  /** The user, when absent. */
  readonly source?: MessageSource;
}

/** True if a background job or a child agent sent the message. The user need not agree to these. */
export const isReport = ({ source }: Pick<QueuedMessage, "source">): boolean =>
  source?.kind === "job" || source?.kind === "agent";

interface Waiting extends QueuedMessage {
  readonly delivery: Delivery;
}

export class Inbox {
  #waiting: Waiting[] = [];
  /** Set after an interrupt: reports begin no input until the next input, or until a caller gives an agent work. */
  isHeld = false;

  count(delivery: Delivery): number {
    return this.#waiting.filter((message) => message.delivery === delivery).length;
  }

  list(delivery: Delivery): readonly QueuedMessage[] {
    return this.#waiting.filter((message) => message.delivery === delivery).map(plain);
  }

  add(delivery: Delivery, message: QueuedMessage): void {
    this.#waiting.push({ ...message, delivery });
  }

  /** Changes a message and returns its delivery; undefined if it no longer waits. */
  edit(id: string, content: InputContent): Delivery | undefined {
    const at = this.#waiting.findIndex((message) => message.id === id);
    const message = this.#waiting[at];
    if (!message) return undefined;
    this.#waiting[at] = { ...message, content };
    return message.delivery;
  }

  cancel(id: string): Delivery | undefined {
    const found = this.#waiting.find((message) => message.id === id);
    this.#waiting = this.#waiting.filter((message) => message.id !== id);
    return found?.delivery;
  }

  /**
   * Mode "one at a time" is for messages of people and programs. Waiting reports come along with one, because otherwise
   * each would cost a request.
   */
  take(delivery: Delivery, mode: QueueMode): readonly QueuedMessage[] {
    const due = this.#waiting.filter((message) => message.delivery === delivery);
    const second = due.filter((message) => !isReport(message))[1];
    const taken = mode === "all" || !second ? due : due.slice(0, due.indexOf(second));
    this.#waiting = this.#waiting.filter((message) => !taken.includes(message));
    return taken.map(plain);
  }
}

function plain({ delivery: _delivery, ...message }: Waiting): QueuedMessage {
  return message;
}
