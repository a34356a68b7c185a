// The connection between a terminal and the command: a pseudo-terminal with the built command, or streams of the
// command inside the test.

import { EventEmitter } from "node:events";
import { PassThrough, Writable } from "node:stream";
import type { ClientDeps } from "@lathe/llm";
import { type IPty, spawn } from "@lydell/node-pty";
import { runCommand } from "../../src/cli/main.ts";
import { announceFirstRequest } from "../../src/platform/launcher/first-request.ts";
import { textOnly } from "../../src/platform/machine/machine.ts";
import { CLI } from "../command.ts";
import { machineOf } from "../machine.ts";

export interface Line {
  readonly pid: number;
  /** The exit code, or the number of the signal as shells report it. */
  readonly exited: Promise<number>;
  write(keys: string): void;
  resize(columns: number, rows: number): void;
  hangUp(): void;
  /** Ends the command if it still runs. */
  end(): void;
}

interface Place {
  readonly columns: number;
  readonly rows: number;
  readonly cwd: string;
  readonly env: Record<string, string>;
}

type Show = (bytes: string) => void;

export function ptyLine(
  program: string | undefined,
  args: readonly string[],
  { columns: cols, rows, cwd, env }: Place,
  show: Show,
): Line {
  const [file, all] = program === undefined ? [process.execPath, [CLI, ...args]] : [program, [...args]];
  // The public type omits that a terminal can be closed without sending a signal ourselves.
  const pty = spawn(file, all, { cols, rows, cwd, name: "xterm-256color", env }) as IPty & { destroy(): void };
  pty.onData(show);
  return {
    pid: pty.pid,
    exited: new Promise((resolve) => pty.onExit(({ exitCode, signal }) => resolve(signal ? 128 + signal : exitCode))),
    write: (keys) => pty.write(keys),
    resize: (columns, lines) => pty.resize(columns, lines),
    hangUp: () => pty.destroy(),
    end: () => {
      try {
        pty.kill("SIGKILL");
      } catch {
        // it has ended
      }
    },
  };
}

/** The kernel buffers no more typed text than this: a longer paste is read in pieces. */
const PIECE_BYTES = 4_095;

export function insideLine(
  args: readonly string[],
  { columns, rows, cwd, env, deps }: Place & { readonly deps?: ((usual: ClientDeps) => ClientDeps) | undefined },
  show: Show,
): Line {
  const keyboard = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => keyboard });
  const screen = new InsideScreen(show, columns, rows);
  const signals = new EventEmitter();
  const out = screen as unknown as NodeJS.WriteStream;
  const usual = machineOf({ cwd, env }, keyboard, screen, screen);
  const machine = {
    ...usual,
    deps: deps?.(usual.deps) ?? usual.deps,
    isPiped: false,
    stdout: textOnly(out),
    stderr: textOnly(out),
    signals,
  };
  let typed: Buffer = Buffer.alloc(0);
  const deliver = (): void => {
    keyboard.write(typed.subarray(0, PIECE_BYTES));
    typed = typed.subarray(PIECE_BYTES);
    if (typed.length > 0) setImmediate(deliver);
  };
  const none = (what: string) => (): never => {
    throw new Error(`${what} needs a process: start the built command`);
  };
  return {
    get pid() {
      return none("a process id")();
    },
    exited: runCommand(args, machine).finally(announceFirstRequest),
    // As in a terminal, keys typed together are read together, and later.
    write: (keys) => {
      if (keys.includes("\x1a")) none("Ctrl+Z")();
      if (typed.length === 0) setImmediate(deliver);
      typed = Buffer.concat([typed, Buffer.from(keys)]);
    },
    resize: (newColumns, newRows) => screen.resize(newColumns, newRows),
    hangUp: none("hanging up"),
    end: () => void signals.emit("SIGTERM", "SIGTERM"),
  };
}

class InsideScreen extends Writable {
  readonly isTTY = true;
  readonly #show: Show;
  columns: number;
  rows: number;

  constructor(show: Show, columns: number, rows: number) {
    super({ decodeStrings: false });
    this.#show = show;
    this.columns = columns;
    this.rows = rows;
  }

  resize(columns: number, rows: number): void {
    this.columns = columns;
    this.rows = rows;
    this.emit("resize");
  }

  override _write(chunk: string | Buffer, _encoding: BufferEncoding, done: () => void): void {
    // A terminal's driver converts line feeds, whatever its input mode.
    this.#show(chunk.toString().replaceAll("\n", "\r\n"));
    done();
  }
}
