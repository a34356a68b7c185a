// A signal quits as a user would: the work stops, the terminal is restored, and a line says how to continue. A second
// signal exits at once.

import type { Machine } from "../../platform/machine/machine.ts";
import { ENDING_SIGNALS, ignoreHangups } from "../../platform/machine/signals.ts";
import { EXIT, type ExitCode } from "../../platform/usage/exit.ts";

interface Leaver {
  leave(code: ExitCode): void;
  /** Resolves when another program, such as an editor, returns the terminal; undefined while we have it. */
  readonly lent?: Promise<void> | undefined;
}

export function leaveOnSignals(view: Leaver, { signals, exit }: Machine): () => void {
  let isAsked = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    // While the terminal is lent, Ctrl+C reaches every process there and is meant for the program that has it.
    if (signal === "SIGINT" && view.lent) return;
    // SIGHUP comes twice when the shell of a closed terminal forwards it.
    if (isAsked && signal === "SIGHUP") return;
    if (isAsked) exit?.(EXIT.interrupted);
    isAsked = true;
    if (view.lent && signal === "SIGTERM") void view.lent.then(() => view.leave(EXIT.interrupted));
    else view.leave(EXIT.interrupted);
  };
  for (const signal of ENDING_SIGNALS) signals?.on(signal, onSignal);
  return () => {
    if (isAsked && signals) ignoreHangups(signals);
    for (const signal of ENDING_SIGNALS) signals?.off(signal, onSignal);
  };
}
