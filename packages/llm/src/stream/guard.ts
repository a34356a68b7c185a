// How our side may end a call: the caller's abort and the timeouts. One inner signal closes the socket. We remember the
// reason, so that an abort is never reported as a network failure.

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

  /** The work's result, or the reason if the call ends first; for work that does not know the signal. */
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

  /** Called when the caller no longer waits for the answer. */
  abandon(): void {
    this.#failure ??= new AbortError("The stream was left before its end.");
    this.#controller.abort();
  }

  /** Called when the call is over, so that no listener stays on the caller's signal. */
  release(): void {
    this.disarm();
    this.#outer?.removeEventListener("abort", this.#onAbort);
  }

  /** The error that the caller should see for a failure while reading the answer. */
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
