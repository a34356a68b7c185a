// Requests wait here for their share of an account, each with a deadline. `FairQueue` decides the order; this file has
// the timers.

import type { RateLimitInfo } from "@lathe/llm";
import { GatewayRefusal } from "../server/refusal.ts";
import { AccountLimits, type MinuteLimits } from "./account-limits.ts";
import { FairQueue, type Ticket } from "./fair-queue.ts";

type SetTimer = (callback: () => void, ms: number) => { cancel(): void };

export interface TurnstileOptions {
  readonly now: () => number;
  readonly setTimer: SetTimer;
  /** Limits from the user's settings. */
  readonly limitsOf: (account: string) => MinuteLimits;
  /** The longest that a request waits. */
  readonly waitMs: number;
}

/** Permission to send one request; `done` gives back the tokens it did not take. */
export interface Pass {
  /** Takes the limits that the vendor reports. */
  observe(info: RateLimitInfo): void;
  /** The vendor accepts nothing for this long. */
  close(forMs: number): void;
  done(tokens: number): void;
}

interface Waiter {
  readonly go: () => void;
  readonly leave: (why: unknown) => void;
}

interface Entrance {
  readonly queue: FairQueue;
  readonly waiters: Map<Ticket, Waiter>;
  timer?: { cancel(): void } | undefined;
}

export class Turnstile {
  readonly #options: TurnstileOptions;
  readonly #entrances = new Map<string, Entrance>();

  constructor(options: TurnstileOptions) {
    this.#options = options;
  }

  /** Resolves when the request may be sent; rejects with a refusal after the deadline, or when the client leaves. */
  async enter(account: string, ticket: Ticket, signal: AbortSignal): Promise<Pass> {
    const entrance = this.#entrance(account);
    await this.#turn(entrance, ticket, signal);
    const { queue } = entrance;
    let isDone = false;
    return {
      observe: (info) => {
        queue.limits.observe(info);
        this.#admit(entrance);
      },
      close: (forMs) => {
        queue.limits.close(forMs);
        // Requests that would wait past their deadline are refused right away.
        if (this.#isShut(entrance)) for (const { leave } of [...entrance.waiters.values()]) leave(this.#late(entrance));
      },
      done: (tokens) => {
        if (isDone) return;
        isDone = true;
        queue.finish(ticket, tokens);
        this.#admit(entrance);
      },
    };
  }

  #turn(entrance: Entrance, ticket: Ticket, signal: AbortSignal): Promise<void> {
    const { setTimer, waitMs } = this.#options;
    return new Promise((resolve, reject) => {
      const leave = (why: unknown): void => {
        if (!entrance.waiters.delete(ticket)) return;
        entrance.queue.leave(ticket);
        settle();
        reject(why);
        this.#admit(entrance);
      };
      const onAbort = (): void => leave(signal.reason);
      const deadline = setTimer(() => leave(this.#late(entrance)), waitMs);
      const settle = (): void => {
        deadline.cancel();
        signal.removeEventListener("abort", onAbort);
      };
      const go = (): void => {
        settle();
        resolve();
      };
      signal.addEventListener("abort", onAbort, { once: true });
      entrance.waiters.set(ticket, { go, leave });
      entrance.queue.join(ticket);
      if (signal.aborted) onAbort();
      else if (this.#isShut(entrance)) leave(this.#late(entrance));
      else this.#admit(entrance);
    });
  }

  #admit(entrance: Entrance): void {
    const { queue, waiters } = entrance;
    entrance.timer?.cancel();
    entrance.timer = undefined;
    for (let ticket = queue.next(); ticket !== undefined; ticket = queue.next()) {
      const waiter = waiters.get(ticket);
      waiters.delete(ticket);
      waiter?.go();
    }
    const waitMs = queue.waitMs();
    // When a running request ends, `done` calls this, too.
    if (waitMs !== undefined) entrance.timer = this.#options.setTimer(() => this.#admit(entrance), Math.max(1, waitMs));
  }

  /** Whether the account is closed for longer than any request waits. */
  #isShut({ queue }: Entrance): boolean {
    return queue.limits.closedMs() > this.#options.waitMs;
  }

  #late({ queue }: Entrance): GatewayRefusal {
    const seconds = Math.max(1, Math.ceil((queue.waitMs() ?? 0) / 1000));
    return new GatewayRefusal(
      "rate_limit",
      `All keys share the limit of this account, and it is used up for now. Try again in ${seconds} s.`,
      { code: "account_rate_limit", retryAfter: seconds },
    );
  }

  #entrance(account: string): Entrance {
    let entrance = this.#entrances.get(account);
    if (entrance === undefined) {
      const { now, limitsOf } = this.#options;
      entrance = { queue: new FairQueue(new AccountLimits(now, limitsOf(account))), waiters: new Map() };
      this.#entrances.set(account, entrance);
    }
    return entrance;
  }
}
