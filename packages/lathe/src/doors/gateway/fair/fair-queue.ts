// Decides which of the keys that wait for an account goes next: the one that has taken least of the account's minutes.
// While the account cannot take the first request, no other passes it, or large ones would starve. A key that returns
// starts level with the others: silence earns no credit. Pure: the clock is in the limits.

import type { AccountLimits } from "./account-limits.ts";

/** A request that is waiting or running. */
export interface Ticket {
  readonly key: string;
  /** The most tokens it may take. */
  readonly tokens: number;
}

interface KeyQueue {
  /** Fractions of a minute's budget that the key has taken. */
  taken: number;
  readonly waiting: Ticket[];
  /** Requests that were sent and have not ended. */
  running: number;
}

export class FairQueue {
  readonly limits: AccountLimits;
  readonly #keys = new Map<string, KeyQueue>();
  /** What the key that went last had taken by then: returning keys start here. */
  #level = 0;

  constructor(limits: AccountLimits) {
    this.limits = limits;
  }

  get waiting(): number {
    let count = 0;
    for (const { waiting } of this.#keys.values()) count += waiting.length;
    return count;
  }

  join(ticket: Ticket): void {
    let queue = this.#keys.get(ticket.key);
    if (queue === undefined) {
      queue = { taken: this.#level, waiting: [], running: 0 };
      this.#keys.set(ticket.key, queue);
    }
    if (queue.waiting.length === 0) queue.taken = Math.max(queue.taken, this.#level);
    queue.waiting.push(ticket);
  }

  /**
   * Takes the next request out of the queue. Undefined if none waits, or the first must wait for the account; see
   * `waitMs`.
   */
  next(): Ticket | undefined {
    const queue = this.#first();
    const ticket = queue?.waiting[0];
    if (queue === undefined || ticket === undefined || this.limits.waitMs(ticket.tokens) > 0) return undefined;
    queue.waiting.shift();
    queue.running++;
    this.#level = Math.max(this.#level, queue.taken);
    queue.taken += this.limits.shareOf(ticket.tokens);
    this.limits.take(ticket.tokens);
    return ticket;
  }

  /** How long the first request must wait; undefined if none waits. */
  waitMs(): number | undefined {
    const ticket = this.#first()?.waiting[0];
    return ticket && this.limits.waitMs(ticket.tokens);
  }

  /** The request has ended after taking this many tokens; the key gets the rest of its reservation back. */
  finish(ticket: Ticket, tokens: number): void {
    const unused = Math.max(0, ticket.tokens - tokens);
    this.limits.finish(unused);
    const queue = this.#keys.get(ticket.key);
    if (queue === undefined) return;
    queue.running--;
    const back = this.limits.shareOf(ticket.tokens) - this.limits.shareOf(tokens);
    // But not below the level of the others, who waited meanwhile.
    queue.taken = Math.max(Math.min(queue.taken, this.#level), queue.taken - back);
    this.#forget(ticket.key, queue);
  }

  /** Removes a request that no longer waits. */
  leave(ticket: Ticket): void {
    const queue = this.#keys.get(ticket.key);
    const at = queue?.waiting.indexOf(ticket) ?? -1;
    if (queue === undefined || at < 0) return;
    queue.waiting.splice(at, 1);
    this.#forget(ticket.key, queue);
  }

  #first(): KeyQueue | undefined {
    let first: KeyQueue | undefined;
    for (const queue of this.#keys.values())
      if (queue.waiting.length > 0 && (first === undefined || queue.taken < first.taken)) first = queue;
    return first;
  }

  /** A key without requests is only remembered while it has taken more than the others. */
  #forget(key: string, queue: KeyQueue): void {
    if (queue.waiting.length + queue.running === 0 && queue.taken <= this.#level) this.#keys.delete(key);
  }
}
