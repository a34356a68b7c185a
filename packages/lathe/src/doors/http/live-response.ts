// Helpers for a response that stays open as long as its reader does: keep-alive comments, and a deadline for readers
// that stop reading.

import type { ServerResponse } from "node:http";

export type SetTimer = (callback: () => void, ms: number) => { cancel(): void };

/** Proxies and browsers drop a connection that is silent for a minute. */
const KEEP_ALIVE_MS = 15_000;
/** A reader that takes nothing for this long is disconnected; it can reconnect. */
const READ_WITHIN_MS = 60_000;

export interface LiveReader {
  /** Checked regularly, since the token may have expired or been revoked. */
  readonly mayRead: () => boolean;
  readonly setTimer: SetTimer;
  /** Called when the reader may no longer read. */
  readonly leave: () => void;
}

/** Sends comments until cancelled. */
export function sendKeepAlive(response: ServerResponse, { mayRead, setTimer, leave }: LiveReader): { cancel(): void } {
  let timer = setTimer(beat, KEEP_ALIVE_MS);
  function beat(): void {
    if (!isAllowed(mayRead)) {
      leave();
      return;
    }
    response.write(":\n\n");
    timer = setTimer(beat, KEEP_ALIVE_MS);
  }
  return { cancel: () => timer.cancel() };
}

/**
 * Runs in a timer, so it must not throw. If the token file cannot be read, the reader has to leave; its next request
 * gets the error.
 */
function isAllowed(mayRead: () => boolean): boolean {
  try {
    return mayRead();
  } catch {
    return false;
  }
}

/** Resolves when the reader has taken what was written, or has gone. */
export function whenDrained(response: ServerResponse, setTimer: SetTimer): Promise<void> {
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
