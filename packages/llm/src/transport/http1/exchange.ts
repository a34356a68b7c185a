// One request and its answer on one connection.

import { networkError } from "../../errors/network.ts";
import type { ClientDeps, TransportRequest, TransportResponse } from "../../types/adapter.ts";
import { AbortError } from "../../types/errors.ts";
import { createBodyQueue } from "./body-queue.ts";
import type { Connection } from "./connection.ts";
import { hungUp } from "./hung-up.ts";
import { type ResponseHead, ResponseParser } from "./response-parser.ts";

/** More than this is not taken from a connection before its reader has taken what there is. */
const WAITING_LIMIT = 256 * 1024;

/**
 * How long after sending on a connection that had been idle its end still counts as a crossing of the two: the server
 * had closed it before the request came. Later the server may have begun to work on the request.
 */
const CROSSING_MS = 1000;

export interface ExchangeOptions extends Pick<TransportRequest, "signal"> {
  readonly origin: string;
  /**
   * For a connection that had been waiting, and that its server may have given up: sends the request on another one.
   * Called only when the connection ended so soon, without a byte of an answer, that nobody can have worked on it.
   */
  readonly resend: (() => Promise<TransportResponse>) | undefined;
  readonly setTimer: ClientDeps["setTimer"];
  /** Called when the connection can serve another request. */
  readonly release: (connection: Connection, head: ResponseHead) => void;
}

export function exchange(
  connection: Connection,
  message: readonly Uint8Array[],
  { origin, resend, signal, setTimer, release }: ExchangeOptions,
): Promise<TransportResponse> {
  return new Promise((resolve, reject) => {
    let head: ResponseHead | undefined;
    let ours = true;
    let crossing = resend;
    const crossed = resend && setTimer(() => noCrossing(), CROSSING_MS);
    const noCrossing = () => {
      crossing = undefined;
      crossed?.cancel();
    };
    const close = () => {
      if (ours) connection.close();
      ours = false;
    };
    const settle = () => signal?.removeEventListener("abort", onAbort);
    const body = createBodyQueue({
      drained: () => {
        if (ours) connection.resume();
      },
      left: close,
      over: settle,
    });
    const onAbort = () => {
      noCrossing();
      close();
      const error = new AbortError("The request was aborted.");
      body.discard(error);
      reject(error);
    };
    const fail = (cause: Error) => {
      noCrossing();
      close();
      const error = networkError(origin, cause);
      body.fail(error);
      reject(error);
    };
    const parser = new ResponseParser({
      head: (arrived) => {
        head = arrived;
        resolve({ status: arrived.status, headers: arrived.headers, body });
      },
      body: body.push,
    });
    const finish = () => {
      // An answer may come before all of the request is sent: what is left of it would be read as the next one.
      if (head?.persistent && !parser.surplus && connection.flushed) {
        ours = false;
        release(connection, head);
      } else close();
      body.end();
    };
    if (signal?.aborted) {
      onAbort();
      return;
    }
    signal?.addEventListener("abort", onAbort, { once: true });
    connection.send(message, {
      bytes(bytes) {
        noCrossing();
        try {
          parser.push(bytes);
        } catch (cause) {
          fail(cause as Error);
          return;
        }
        if (parser.done) finish();
        else if (body.waiting > WAITING_LIMIT) connection.pause();
      },
      gone(cause) {
        if (crossing !== undefined) {
          settle();
          close();
          resolve(crossing());
          noCrossing();
        } else if (cause === undefined && parser.close()) finish();
        else fail(cause ?? hungUp());
      },
    });
  });
}
