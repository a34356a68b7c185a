// All ways out of a terminal program, each of which must restore the terminal: exit, error, signals, Ctrl+Z.

import type { ProcessTerminal } from "./process-terminal.ts";

interface LeavingScreen {
  pause(): void;
  resume(): void;
  end(): void;
}

export interface Leaving {
  readonly process: NodeJS.Process;
  readonly terminal: ProcessTerminal;
  readonly screen: LeavingScreen;
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** If the shell has not stopped us by then, there is none: an orphaned process group is not stopped. */
const STOP_MS = 300;

/**
 * Until the returned function is called, every way out restores the terminal. A signal without another handler still
 * ends the process.
 */
export function restoreOnExit({ process, terminal, screen }: Leaving): () => void {
  const restore = (): void => {
    screen.end();
    terminal.stop();
  };
  const onSignal = SIGNALS.map((signal) => ({
    signal,
    listener: (): void => {
      const isOurs = process.listenerCount(signal) === 1;
      restore();
      undo();
      if (isOurs) process.kill(process.pid, signal);
    },
  }));
  const undo = (): void => {
    process.off("exit", restore);
    process.off("uncaughtExceptionMonitor", restore);
    for (const { signal, listener } of onSignal) process.off(signal, listener);
  };
  process.on("exit", restore);
  process.on("uncaughtExceptionMonitor", restore);
  for (const { signal, listener } of onSignal) process.on(signal, listener);
  return undo;
}

/** Ctrl+Z: gives the terminal back to the shell; `fg` resumes. */
export function suspendToShell({ process, terminal, screen }: Leaving): void {
  screen.pause();
  terminal.suspend();
  let isBack = false;
  const comeBack = (): void => {
    if (isBack) return;
    isBack = true;
    clearTimeout(timer);
    process.off("SIGCONT", comeBack);
    terminal.resume();
    screen.resume();
  };
  process.on("SIGCONT", comeBack);
  const timer = setTimeout(comeBack, STOP_MS);
  // Stop the whole process group, as the terminal itself would: the process that started us must stop, too.
  process.kill(0, "SIGTSTP");
}
