// Queues what an ACP agent says, does and wants, in order of arrival, for one reader.

import type { JsonObject } from "@lathe/llm";

/**
 * Something the agent wants us to do: a call of one of the session's tools. It ends with the call, or with the link.
 */
export interface Wish {
  readonly id: string;
  readonly tool: string;
  readonly args: JsonObject;
  /** Reports success; `answer` holds the data that the agent gets. */
  grant(answer: JsonObject): void;
  /** `why` is sent to the agent. */
  refuse(why: string): void;
}

/** Something the agent did with its own tools, reported when it was done. */
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
  /** Nothing more will arrive: the program ended, or its output does not follow the protocol. */
  | { readonly kind: "failed"; readonly why: string };

export class Arrivals {
  readonly #waiting: Arrival[] = [];
  #wake: (() => void) | undefined;

  push(arrival: Arrival): void {
    this.#waiting.push(arrival);
    this.#wake?.();
  }

  /** Undefined if nothing has arrived. */
  take(): Arrival | undefined {
    return this.#waiting.shift();
  }

  /** Resolves when something has arrived; rejects with the signal's reason. */
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
