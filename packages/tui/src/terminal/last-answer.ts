// The answer to a question that is still on its way when the terminal is given back: the shell would take it for something typed.

import { closeSync, constants, openSync, readSync } from "node:fs";

/** A terminal that has not answered by then is too slow to wait for. */
const PATIENCE_MS = 100;
const LOOK_MS = 2;

/** Reads until the answer has come. Without waiting for events: it is called while the process ends. */
export function takeLastAnswer(answer: RegExp, now: () => number): void {
  let terminal: number;
  try {
    // Opened anew: reading must not block, whatever is set for the input that we share with others.
    terminal = openSync("/dev/tty", constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    return; // Without a controlling terminal no shell reads it either.
  }
  const piece = Buffer.alloc(1024);
  let taken = "";
  for (const end = now() + PATIENCE_MS; now() < end && !answer.test(taken); ) {
    try {
      taken += piece.toString("latin1", 0, readSync(terminal, piece));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") break;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS);
    }
  }
  closeSync(terminal);
}
