// The ways out of a terminal program, each of which has to give the terminal back: exit, error, signals, Ctrl+Z.

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
/** If the shell has not stopped us by then, it will not: a process group without a shell is not stopped. */
const STOP_MS = 300;

/** Until the returned function is called, no way out leaves the terminal in our modes. A signal that has no other handler still ends the process. */
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

/** Ctrl+Z: the shell gets the terminal as it was; `fg` brings everything back. */
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
  // The whole group, as the terminal itself would: also what started us has to stop.
  process.kill(0, "SIGTSTP");
}
