// SIGINT and SIGTERM interrupt the run, which then ends cleanly and can be continued; a second one leaves at once.

import type { Session } from "@lathe/agent";
import { EXIT } from "../cli/exit.ts";

export function interruptOnSignals(session: Session): () => void {
  let asked = false;
  const onSignal = (): void => {
    if (asked) process.exit(EXIT.interrupted);
    asked = true;
    void session.interrupt();
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  return () => {
    process.off("SIGINT", onSignal);
    process.off("SIGTERM", onSignal);
  };
}

/** A reader that went away (`lathe … | head`) is no error: there is nobody left to tell. */
export function endQuietlyOnBrokenPipe(stdout: NodeJS.WriteStream): void {
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(EXIT.done);
    throw error;
  });
}
