// Reads an answer that is still on its way when the terminal is given back; otherwise the shell would take it for typed
// text.

import { closeSync, constants, openSync, readSync } from "node:fs";

/** A terminal slower than this is not waited for. */
const PATIENCE_MS = 100;
const LOOK_MS = 2;

/** Reads until the answer has arrived. Synchronous, because it runs while the process exits. */
export function takeLastAnswer(answer: RegExp, now: () => number): void {
  let terminal: number;
  try {
    // Opened separately, because this read must not block and the mode of stdin is shared with other processes.
    terminal = openSync("/dev/tty", constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    return; // Without a controlling terminal, no shell reads the answer either.
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
