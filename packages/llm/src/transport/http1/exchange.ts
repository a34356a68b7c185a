// One request and its answer on one connection.

import { networkError } from "../../errors/network.ts";
import type { ClientDeps, TransportRequest, TransportResponse } from "../../types/adapter.ts";
import { AbortError } from "../../types/errors.ts";
import { type BodyQueue, createBodyQueue } from "./body-queue.ts";
import type { Connection, Reader } from "./connection.ts";
import { hungUp } from "./hung-up.ts";
import { type ResponseHead, ResponseParser } from "./response-parser.ts";

/** More than this is not taken from a connection before its reader has taken what there is. */
const WAITING_LIMIT = 256 * 1024;

/**
 * How long after sending on a connection that had been idle its end is taken for a crossing of the two: the server closed
 * it while the request was on its way. A guess, not a proof: a server that takes a request and dies within this time looks
 * the same, and then gets it twice. A request that works only once does not come here.
 */
const CROSSING_MS = 1000;

export interface ExchangeOptions extends Pick<TransportRequest, "signal" | "sent"> {
  readonly origin: string;
  /**
   * For a connection that had been waiting, and that its server may have given up: sends the request on another one.
   * Called only when the connection ended within that time without a byte of an answer.
   */
  readonly resend: (() => Promise<TransportResponse>) | undefined;
  readonly setTimer: ClientDeps["setTimer"];
  /** Called when the connection can serve another request. */
  readonly release: (connection: Connection, head: ResponseHead) => void;
}

export function exchange(
  connection: Connection,
  message: readonly Uint8Array[],
  options: ExchangeOptions,
): Promise<TransportResponse> {
  return new Promise((resolve, reject) => new Exchange(connection, options, { resolve, reject }).start(message));
}

interface Outcome {
  readonly resolve: (response: TransportResponse | Promise<TransportResponse>) => void;
  readonly reject: (error: Error) => void;
}

class Exchange implements Reader {
  readonly #options: ExchangeOptions;
  readonly #outcome: Outcome;
  readonly #body: BodyQueue;
  /** Made with the first bytes, when the request is out. */
  #parser: ResponseParser | undefined;
  /** Until it is closed or somebody else's. */
  #connection: Connection | undefined;
  #head: ResponseHead | undefined;
  #crossing: { cancel(): void } | undefined;

  constructor(connection: Connection, options: ExchangeOptions, outcome: Outcome) {
    this.#connection = connection;
    this.#options = options;
    this.#outcome = outcome;
    this.#body = createBodyQueue({
      drained: () => this.#connection?.resume(),
      left: () => this.#close(),
      over: () => this.#unlisten(),
    });
  }

  start(message: readonly Uint8Array[]): void {
    const { signal, sent, resend, setTimer } = this.#options;
    if (signal?.aborted) {
      this.#onAbort();
      return;
    }
    if (resend !== undefined) this.#crossing = setTimer(() => this.#endCrossing(), CROSSING_MS);
    this.#connection?.send(message, this);
    if (this.#connection === undefined) return; // it was dead
    signal?.addEventListener("abort", this.#onAbort, { once: true });
    sent?.();
  }

  bytes(bytes: Buffer): void {
    this.#endCrossing();
    this.#parser ??= this.#makeParser();
    try {
      this.#parser.push(bytes);
    } catch (cause) {
      this.#fail(cause);
      return;
    }
    if (this.#parser.done) this.#finish();
    else if (this.#body.waiting > WAITING_LIMIT) this.#connection?.pause();
  }

  #makeParser(): ResponseParser {
    return new ResponseParser({
      head: (head) => {
        this.#head = head;
        this.#outcome.resolve({ status: head.status, headers: head.headers, body: this.#body });
      },
      body: this.#body.push,
    });
  }

  gone(cause: Error | undefined): void {
    const { resend } = this.#options;
    if (this.#crossing !== undefined && resend !== undefined) {
      this.#endCrossing();
      this.#unlisten();
      this.#close();
      this.#outcome.resolve(resend());
    } else if (cause === undefined && this.#parser?.close()) this.#finish();
    else this.#fail(cause ?? hungUp());
  }

  #finish(): void {
    const connection = this.#connection;
    // An answer may come before all of the request is sent: what is left of it would be read as the next one.
    if (this.#head?.persistent && !this.#parser?.surplus && connection?.flushed) {
      this.#connection = undefined;
      this.#options.release(connection, this.#head);
    } else this.#close();
    this.#body.end();
  }

  #fail(cause: unknown): void {
    this.#close();
    const error = networkError(this.#options.origin, cause);
    this.#body.fail(error);
    this.#outcome.reject(error);
  }

  readonly #onAbort = (): void => {
    this.#endCrossing();
    this.#close();
    const error = new AbortError("The request was aborted.");
    this.#body.discard(error);
    this.#outcome.reject(error);
  };

  #endCrossing(): void {
    this.#crossing?.cancel();
    this.#crossing = undefined;
  }

  #unlisten(): void {
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
  }

  #close(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }
}
