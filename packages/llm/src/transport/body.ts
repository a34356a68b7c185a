// A response body as batches of bytes: each `next` returns everything that has arrived. `return` closes the socket.

import type { Readable } from "node:stream";
import { networkError } from "../errors/network.ts";
import { SDKError } from "../types/errors.ts";

export interface BodySource {
  readonly incoming: Readable;
  /** The incoming message, or the decompressor after it. */
  readonly readable: Readable;
  readonly origin: string;
  /** Why the transport itself broke the exchange (abort, timeout), if it did. */
  readonly failure: () => Error | undefined;
  /** Called once when the exchange is over. */
  readonly settle: () => void;
}

export function readBody(source: BodySource): AsyncIterable<Uint8Array> {
  const { readable } = source;
  let ended = false;
  let error: Error | undefined;
  let wake: (() => void) | undefined;
  const notify = () => {
    wake?.();
    wake = undefined;
  };
  const finish = (cause?: Error) => {
    if (ended || error !== undefined) return;
    if (cause === undefined) ended = true;
    else error = source.failure() ?? (cause instanceof SDKError ? cause : networkError(source.origin, cause));
    source.settle();
    notify();
  };
  readable.on("readable", notify);
  readable.once("end", () => finish());
  readable.on("error", finish);
  source.incoming.on("error", finish);
  // "close" without "end" or "error" before it means that the other side went away in the middle.
  readable.once("close", () => finish(readable.readableEnded ? undefined : new Error("the connection closed early.")));

  const iterator: AsyncIterator<Uint8Array> = {
    async next() {
      for (;;) {
        // The bytes before a broken connection may be the whole answer; after our own abort we do not need them.
        const failure = source.failure();
        if (failure !== undefined) throw failure;
        const chunk = readable.read() as Uint8Array | null;
        if (chunk !== null) return { done: false, value: chunk };
        if (error !== undefined) throw error;
        if (ended) return { done: true, value: undefined };
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    async return() {
      if (!ended) {
        ended = true;
        source.incoming.destroy();
        readable.destroy();
        source.settle();
        notify();
      }
      return { done: true, value: undefined };
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}
