// SIGINT, SIGTERM and SIGHUP (a terminal or connection that closed) interrupt the run, which then ends cleanly and can be
// continued; a second one leaves at once, except SIGHUP. A stdout that cannot be written any more counts as a signal where it is
// watched.

import type { Writable } from "node:stream";
import { EXIT } from "../usage/exit.ts";
import { onReaderGone } from "./reader-gone.ts";

export interface Signals {
  /** Aborted as soon as a signal came. */
  readonly asked: AbortSignal;
  stopListening(): void;
}

export const ENDING_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** For a process that is about to end with a code of its own: the shell of a closed terminal may still send one. */
export function ignoreHangups(signals: Pick<NodeJS.EventEmitter, "on"> = process): void {
  signals.on("SIGHUP", () => undefined);
}

export function onSignals(interrupt: () => void, stdout?: Writable): Signals {
  const controller = new AbortController();
  const onSignal = (signal: NodeJS.Signals): void => {
    // A terminal that closes says so more than once: the kernel does, and the shell in it.
    if (controller.signal.aborted && signal === "SIGHUP") return;
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    stop();
  };
  const stop = (): void => {
    if (controller.signal.aborted) return;
    controller.abort();
    interrupt();
  };
  if (stdout) onReaderGone(stdout, stop);
  for (const signal of ENDING_SIGNALS) process.on(signal, onSignal);
  return {
    asked: controller.signal,
    stopListening: () => {
      if (controller.signal.aborted) ignoreHangups();
      for (const signal of ENDING_SIGNALS) process.off(signal, onSignal);
    },
  };
}
