// Reads a terminal to its end. When the last process that has it open exits, Node treats what it has read so far as
// everything, and whatever the kernel still holds is lost. So we keep the terminal open, too: after the command has
// ended we write a marker into it, and when the marker comes back, everything before it has been read.

import { closeSync, constants, openSync, writeSync } from "node:fs";

/** The parts of the package's terminal that we use. Only its internals reveal when the command has ended. */
export interface ReadTerminal {
  onData(listener: (chunk: string) => void): unknown;
  /** Emits `close` as soon as the command has ended. */
  once(event: string, listener: (...args: unknown[]) => void): unknown;
  /** The path of the terminal, as the command opens it. */
  readonly _pty: string;
  /** Our side of the terminal. */
  readonly _socket: { destroy(error?: Error): unknown };
}

/** An APC escape sequence, which no program prints by chance and no terminal setting changes. */
const MARK = "\x1b_lathe-end-of-command\x1b\\";

/** For a terminal that is flooded, or whose output was stopped (Ctrl-S). */
const LONGEST_MS = 2_000;
const AGAIN_MS = 5;

/** Passes on everything that the terminal receives before the package reports the end of the command. */
export function readToTheEnd(terminal: ReadTerminal, onData: (chunk: string) => void): void {
  const file = openTerminal(terminal._pty);
  const { _socket: socket } = terminal;
  const destroy = socket.destroy.bind(socket);
  let held = "";
  let hasEnded = false;
  let isRead = file === undefined;
  let unwritten = MARK;
  let timers: ReturnType<typeof setTimeout>[] = [];

  const finish = (): void => {
    if (isRead) return;
    isRead = true;
    for (const timer of timers) clearTimeout(timer);
    timers = [];
    closeSync(file!);
    if (held !== "") onData(held);
    // A background process may keep the terminal open.
    destroy();
  };
  const write = (): void => {
    if (isRead) return;
    const written = trySend(file!, unwritten);
    if (written === undefined) {
      finish();
      return;
    }
    unwritten = unwritten.slice(written);
    if (unwritten !== "") timers = [timers[0]!, setTimeout(write, AGAIN_MS)];
  };
  const onEnd = (): void => {
    if (hasEnded || isRead) return;
    hasEnded = true;
    timers = [setTimeout(finish, LONGEST_MS)];
    write();
  };

  terminal.onData((chunk) => {
    if (!hasEnded || isRead) {
      onData(chunk);
      return;
    }
    held += chunk;
    const at = held.indexOf(MARK);
    const sure = at === -1 ? held.length - begunMark(held) : at;
    if (sure > 0) onData(held.slice(0, sure));
    held = at === -1 ? held.slice(sure) : "";
    if (at !== -1) finish();
  });
  const once = terminal.once.bind(terminal);
  terminal.once = (event, listener) => {
    const result = once(event, listener);
    if (event === "close") onEnd();
    return result;
  };
  // The package gives up some time after the end of the command; we wait longer.
  socket.destroy = (error) => {
    if (error || isRead) {
      finish();
      return destroy(error);
    }
    onEnd();
    return socket;
  };
}

function openTerminal(file: string): number | undefined {
  try {
    return openSync(file, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
  } catch {
    // On some systems no second process can open it; then we rely on the package's own end.
    return undefined;
  }
}

/** How much was accepted; undefined if the terminal accepts no more. */
function trySend(file: number, text: string): number | undefined {
  try {
    return writeSync(file, text);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EAGAIN" ? 0 : undefined;
  }
}

/** How many characters at the end of the text could be the beginning of the marker. */
function begunMark(text: string): number {
  for (let length = Math.min(MARK.length - 1, text.length); length > 0; length -= 1)
    if (text.endsWith(MARK.slice(0, length))) return length;
  return 0;
}
