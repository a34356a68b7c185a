// Everything that reaches a session from outside while it works: one queue, in the order it came. Steering waits for the next
// drain point, follow-ups for the end of the input. Each message carries the id that its journal entry will have, so a
// reopened journal knows which were delivered, and says who it is from.

import type { InputContent, MessageSource } from "../contract/events/types.ts";
import type { QueueMode } from "./config.ts";

/** When a queued message is delivered: into the running input, or after it. */
export type Delivery = "steering" | "follow_up";

/** A message that waits for its delivery. */
export interface QueuedMessage {
  readonly id: string;
  readonly content: InputContent;
  /** The user when absent. */
  readonly source?: MessageSource;
}

/** It comes from a background job or a child agent, and the user need not be asked whether it is sent. */
export const isReport = ({ source }: Pick<QueuedMessage, "source">): boolean =>
  source?.kind === "job" || source?.kind === "agent";

interface Waiting extends QueuedMessage {
  readonly delivery: Delivery;
}

export class Inbox {
  #waiting: Waiting[] = [];
  /** The work was interrupted: reports begin nothing until the next input, or until a caller sets an agent to work. */
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

  /** The delivery of the message; undefined when it does not wait any more. */
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

  /** One at a time is what people and programs say; reports that wait come with it, or else each would cost a request. */
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
