// What an ACP agent says, does and wants, in the order in which it came, for one reader.

import type { JsonObject } from "@lathe/llm";

/** Something that the agent wants us to do: a call of one of the session's tools. It ends with the call, or with the link. */
export interface Wish {
  readonly id: string;
  readonly tool: string;
  readonly args: JsonObject;
  /** What the agent gets, beyond that it was done. */
  grant(answer: JsonObject): void;
  /** `why`: for the agent. */
  refuse(why: string): void;
}

/** What the agent did with tools of its own, when it was over. */
export interface OwnWork {
  readonly title: string;
  readonly kind: string;
  readonly paths: readonly string[];
  readonly output: string;
  readonly failed: boolean;
}

export type Arrival =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "thought"; readonly text: string }
  | { readonly kind: "work"; readonly work: OwnWork }
  | { readonly kind: "wish"; readonly wish: Wish }
  /** The prompt has ended. */
  | { readonly kind: "stopped"; readonly reason: string }
  /** Nothing more will come: the program ended, or what it writes is not the protocol. */
  | { readonly kind: "failed"; readonly why: string };

export class Arrivals {
  readonly #waiting: Arrival[] = [];
  #wake: (() => void) | undefined;

  push(arrival: Arrival): void {
    this.#waiting.push(arrival);
    this.#wake?.();
  }

  /** Undefined: nothing is here yet. */
  take(): Arrival | undefined {
    return this.#waiting.shift();
  }

  /** Resolves when there is something to take, and rejects with the signal's reason. */
  async ready(signal: AbortSignal): Promise<void> {
    if (this.#waiting.length > 0) return;
    await new Promise<void>((resolve, reject) => {
      const stop = (): void => reject(signal.reason);
      if (signal.aborted) return stop();
      signal.addEventListener("abort", stop, { once: true });
      this.#wake = () => {
        signal.removeEventListener("abort", stop);
        this.#wake = undefined;
        resolve();
      };
    });
  }
}
