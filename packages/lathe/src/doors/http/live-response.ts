// An answer that goes on for as long as the reader is there: signs of life, and a reader that takes nothing.

import type { ServerResponse } from "node:http";

export type SetTimer = (callback: () => void, ms: number) => { cancel(): void };

/** Proxies and browsers drop a connection on which nothing comes for a minute. */
const SIGN_OF_LIFE_MS = 15_000;
/** A reader that takes nothing for so long has gone; it comes back when it can read again. */
const READ_WITHIN_MS = 60_000;

export interface LiveReader {
  /** Asked from time to time: the token may have expired or been revoked. */
  readonly mayRead: () => boolean;
  readonly setTimer: SetTimer;
  /** Called when the reader may no longer read. */
  readonly leave: () => void;
}

/** Ends with `cancel`. */
export function signOfLife(response: ServerResponse, { mayRead, setTimer, leave }: LiveReader): { cancel(): void } {
  let timer = setTimer(beat, SIGN_OF_LIFE_MS);
  function beat(): void {
    if (!isAllowed(mayRead)) {
      leave();
      return;
    }
    response.write(":\n\n");
    timer = setTimer(beat, SIGN_OF_LIFE_MS);
  }
  return { cancel: () => timer.cancel() };
}

/** Asked by a timer. A file of tokens that cannot be read lets nobody stay; the reader's next request is told what is wrong. */
function isAllowed(mayRead: () => boolean): boolean {
  try {
    return mayRead();
  } catch {
    return false;
  }
}

/** Resolves when the reader has taken what was written, or has gone. */
export function drained(response: ServerResponse, setTimer: SetTimer): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimer(() => response.destroy(), READ_WITHIN_MS);
    const done = (): void => {
      timer.cancel();
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    response.on("drain", done);
    response.on("close", done);
    if (response.destroyed) done();
  });
}
