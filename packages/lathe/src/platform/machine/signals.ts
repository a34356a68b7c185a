// SIGINT, SIGTERM and SIGHUP (a closed terminal or connection) interrupt the run, which then ends cleanly and can be
// resumed; a second signal ends it at once, unless it is SIGHUP. A stdout that can no longer be written counts as a
// signal if the caller passes `stdout`.

import type { Writable } from "node:stream";
import { EXIT, type ExitCode } from "../usage/exit.ts";
import { onReaderGone } from "./reader-gone.ts";

export interface Signals {
  /** Aborted as soon as a signal arrives. */
  readonly asked: AbortSignal;
  stopListening(): void;
}

export const ENDING_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** For a process that is about to end with its own exit code: the shell of a closed terminal may still send SIGHUP. */
export function ignoreHangups(signals: Pick<NodeJS.EventEmitter, "on"> = process): void {
  signals.on("SIGHUP", () => undefined);
}

export function onSignals(interrupt: () => void, stdout?: Writable): Signals {
  const controller = new AbortController();
  const onSignal = (signal: NodeJS.Signals): void => {
    // A closing terminal sends SIGHUP more than once: from the kernel and from the shell in it.
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

/**
 * For a connection over stdin and stdout: `code` resolves if a signal arrives or the other side stops reading, before
 * the input ends.
 */
export function listenForStop(stdout: Writable): { readonly code: Promise<ExitCode>; stopListening(): void } {
  let resolve: (code: ExitCode) => void = () => {};
  const code = new Promise<ExitCode>((take) => {
    resolve = take;
  });
  const onSignal = (): void => resolve(EXIT.interrupted);
  onReaderGone(stdout, onSignal);
  for (const signal of ENDING_SIGNALS) process.once(signal, onSignal);
  const stopListening = (): void => {
    for (const signal of ENDING_SIGNALS) process.off(signal, onSignal);
  };
  return { code, stopListening };
}
