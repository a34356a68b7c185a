// Limits how many bytes of requests are in memory at once, in total and per client, so that one client with many large
// requests cannot crash the gateway.

import { GatewayRefusal } from "./refusal.ts";

const OF_ALL = 512 << 20;
const OF_ONE = 256 << 20;
const TRY_AGAIN_S = 5;

export class BodyRoom {
  #taken = 0;
  readonly #takenBy = new Map<string, number>();

  /** For one request of a caller: `take` as its body arrives, `leave` once it is answered. */
  enter(caller: string): { take(bytes: number): void; leave(): void } {
    let own = 0;
    return {
      take: (bytes) => {
        this.#check(caller, bytes);
        own += bytes;
        this.#add(caller, bytes);
      },
      leave: () => {
        this.#add(caller, -own);
        own = 0;
      },
    };
  }

  #check(caller: string, bytes: number): void {
    const isOwn = (this.#takenBy.get(caller) ?? 0) + bytes > OF_ONE;
    if (!isOwn && this.#taken + bytes <= OF_ALL) return;
    const whose = isOwn ? "This key has" : "The gateway has";
    throw new GatewayRefusal("overloaded", `${whose} too many large requests at once. Try again in ${TRY_AGAIN_S} s.`, {
      code: "too_many_bytes",
      retryAfter: TRY_AGAIN_S,
    });
  }

  #add(caller: string, bytes: number): void {
    this.#taken += bytes;
    const taken = (this.#takenBy.get(caller) ?? 0) + bytes;
    if (taken > 0) this.#takenBy.set(caller, taken);
    else this.#takenBy.delete(caller);
  }
}
