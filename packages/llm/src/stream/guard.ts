// What may end a call from our side: the caller's abort and the timeouts. One inner signal closes the socket; the
// reason is remembered, so that an abort is never reported as a network failure.

import type { ClientDeps } from "../types/adapter.ts";
import { AbortError, RequestTimeoutError, SDKError, StreamError, type TimeoutPhase } from "../types/errors.ts";

export class CallGuard {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #setTimer: ClientDeps["setTimer"];
  readonly #provider: string;
  #timer: { cancel(): void } | undefined;
  #failure: SDKError | undefined;

  constructor(provider: string, setTimer: ClientDeps["setTimer"], signal: AbortSignal | undefined) {
    this.#provider = provider;
    this.#setTimer = setTimer;
    this.#outer = signal;
    if (signal?.aborted) this.#onAbort();
    else signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }
  get aborted(): boolean {
    return this.#outer?.aborted ?? false;
  }

  /** Why our side ended the call, if it did. */
  get failure(): SDKError | undefined {
    return this.#failure;
  }

  throwIfOver(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** The work's outcome, or why the call is over before it: for work that knows nothing of the signal. */
  async race<T>(work: Promise<T>): Promise<T> {
    let onAbort = () => {};
    const over = new Promise<never>((_, reject) => {
      onAbort = () => reject(this.#failure);
      if (this.#failure === undefined) this.signal.addEventListener("abort", onAbort, { once: true });
      else onAbort();
    });
    try {
      return await Promise.race([work, over]);
    } finally {
      this.signal.removeEventListener("abort", onAbort);
    }
  }

  /** Starts the one running limit; `seconds` 0 means none. */
  arm(phase: TimeoutPhase, seconds: number): void {
    this.disarm();
    if (seconds <= 0) return;
    this.#timer = this.#setTimer(() => {
      this.#failure ??= new RequestTimeoutError(SENTENCES[phase](this.#provider, seconds), {
        phase,
        provider: this.#provider,
      });
      this.#controller.abort();
    }, seconds * 1000);
  }

  disarm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** The caller is not waiting for the answer any more. */
  abandon(): void {
    this.#failure ??= new AbortError("The stream was left before its end.");
    this.#controller.abort();
  }

  /** The call is over; nothing of it may linger on the caller's signal. */
  release(): void {
    this.disarm();
    this.#outer?.removeEventListener("abort", this.#onAbort);
  }

  /** The error the caller should see for something that went wrong while reading the answer. */
  explain(error: unknown): SDKError {
    if (this.#failure !== undefined) return this.#failure;
    if (error instanceof SDKError) return error;
    return new StreamError(`${this.#provider}: the answer cannot be read.`, { cause: error });
  }

  readonly #onAbort = () => {
    this.#failure ??= new AbortError("The request was aborted.", { cause: this.#outer?.reason });
    this.#controller.abort();
  };
}

type Sentence = (provider: string, seconds: number) => string;
const SENTENCES: Readonly<Record<TimeoutPhase, Sentence>> = {
  connect: (provider, seconds) => `${provider}: no connection within ${seconds} s.`,
  request: (provider, seconds) => `${provider}: no answer within ${seconds} s.`,
  firstEvent: (provider, seconds) => `${provider}: the stream did not begin within ${seconds} s.`,
  streamRead: (provider, seconds) => `${provider}: the stream was silent for ${seconds} s.`,
  total: (_, seconds) => `The operation took longer than ${seconds} s.`,
  perStep: (_, seconds) => `One step took longer than ${seconds} s.`,
  server: (provider) => `${provider}: the server reported a timeout.`,
};
