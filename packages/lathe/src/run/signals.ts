// SIGINT and SIGTERM interrupt the run, which then ends cleanly and can be continued; a second one leaves at once.

import { EXIT } from "../cli/exit.ts";

export interface Signals {
  /** Aborted as soon as a signal came. */
  readonly asked: AbortSignal;
  stopListening(): void;
}

export function onSignals(interrupt: () => void): Signals {
  const controller = new AbortController();
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    controller.abort();
    interrupt();
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  return {
    asked: controller.signal,
    stopListening: () => {
      process.off("SIGINT", onSignal);
      process.off("SIGTERM", onSignal);
    },
  };
}
