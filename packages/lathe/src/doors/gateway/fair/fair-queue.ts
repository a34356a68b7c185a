// Who goes next of the keys that wait for one account. Each key has taken so much of the account's minutes; of those that wait, the
// one that has taken least goes first. Nobody is passed while the account cannot take the request that is first: large ones would
// starve. A key that comes back begins where the others are, so that silence saves nothing. Pure: the clock is in the limits.

import type { AccountLimits } from "./account-limits.ts";

/** A request that waits, or goes. */
export interface Ticket {
  readonly key: string;
  /** The most that it may take. */
  readonly tokens: number;
}

interface KeyQueue {
  /** Shares of a minute that it has taken. */
  taken: number;
  readonly waiting: Ticket[];
  /** Requests that go and have not ended. */
  running: number;
}

export class FairQueue {
  readonly limits: AccountLimits;
  readonly #keys = new Map<string, KeyQueue>();
  /** Where the key stood that went last: what a key that comes back begins with. */
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

  /** The one that goes now. Undefined when none waits, or the first has to wait for the account; see `waitMs`. */
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

  /** How long the first one has to wait; undefined when none does. */
  waitMs(): number | undefined {
    const ticket = this.#first()?.waiting[0];
    return ticket && this.limits.waitMs(ticket.tokens);
  }

  /** It has ended, having taken so many tokens: what it did not take is the key's again. */
  done(ticket: Ticket, tokens: number): void {
    const unused = Math.max(0, ticket.tokens - tokens);
    this.limits.done(unused);
    const queue = this.#keys.get(ticket.key);
    if (queue === undefined) return;
    queue.running--;
    const back = this.limits.shareOf(ticket.tokens) - this.limits.shareOf(tokens);
    // Not below the others: what was saved while they waited is theirs.
    queue.taken = Math.max(Math.min(queue.taken, this.#level), queue.taken - back);
    this.#forget(ticket.key, queue);
  }

  /** It waits no longer. */
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

  /** A key without requests is remembered while it is ahead of the others only. */
  #forget(key: string, queue: KeyQueue): void {
    if (queue.waiting.length + queue.running === 0 && queue.taken <= this.#level) this.#keys.delete(key);
  }
}
