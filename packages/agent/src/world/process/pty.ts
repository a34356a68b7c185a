// A command in its own terminal (decision 0226): marked and ended like any other command. The native package is
// optional; without it, only this feature is missing.

import { EventEmitter } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { missingPackage } from "../../base/optional-package.ts";
import { BoundedOutput } from "./bounded-output.ts";
import { OUTPUT_LIMIT } from "./capture.ts";
import type { Clock } from "./clock.ts";
import type { Confinement } from "./confinement.ts";
import type { Mark } from "./marks.ts";
import { OutputRing } from "./output-ring.ts";
import { markedProgram, ownMark, shellArgv } from "./shell-argv.ts";
import { lastingText } from "./shell-script.ts";
import { type ReadTerminal, readToTheEnd } from "./terminal-end.ts";
import {
  EnvError,
  type ExecResult,
  type ProgramArgv,
  type TerminalCommand,
  type TerminalOptions,
  type TerminalSize,
} from "./types.ts";

/** The part of the package that we use. */
interface Pty {
  spawn(program: string, args: string[], options: object): PtyProcess;
}

interface PtyProcess extends ReadTerminal {
  readonly pid: number;
  onExit(listener: (end: { exitCode: number; signal?: number }) => void): unknown;
  write(text: string): void;
  resize(columns: number, rows: number): void;
}

export async function loadPty(): Promise<Pty> {
  try {
    return (await import("@lydell/node-pty")) as unknown as Pty;
  } catch (cause) {
    const message = `${missingPackage("Terminals", "@lydell/node-pty")}. Or run the command without pty.`;
    throw new EnvError("unavailable", message, { cause });
  }
}

/** A command to start in a terminal. */
export interface TerminalRequest extends TerminalOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

interface TerminalSetup extends TerminalRequest {
  readonly mark: Mark;
  readonly variables: Readonly<Record<string, string>>;
  readonly prelude: string;
  readonly confinement: Confinement | undefined;
  readonly clock: Clock;
  readonly end: (group: number | undefined) => Promise<void>;
}

const SIGNALS: Readonly<Record<number, string>> = {
  1: "SIGHUP",
  2: "SIGINT",
  3: "SIGQUIT",
  6: "SIGABRT",
  9: "SIGKILL",
  11: "SIGSEGV",
  13: "SIGPIPE",
  15: "SIGTERM",
};

/** Keeps programs from starting pagers or asking outside this terminal. */
const HARDENED = {
  TERM: "xterm-256color",
  PAGER: "cat",
  GIT_PAGER: "cat",
  MANPAGER: "cat",
  SYSTEMD_PAGER: "cat",
  EDITOR: "true",
  VISUAL: "true",
  GIT_EDITOR: "true",
  GIT_TERMINAL_PROMPT: "0",
  SSH_ASKPASS: "/usr/bin/false",
  CI: "1",
};

export function startTerminal(pty: Pty, command: string, setup: TerminalSetup) {
  const started = setup.clock.now();
  const child = spawn(pty, command, setup);
  const ends = new EventEmitter();
  const ring = new OutputRing(OUTPUT_LIMIT);
  const kept = new BoundedOutput(OUTPUT_LIMIT);
  let running = true;
  let aborted = false;
  let ending: Promise<void> | undefined;
  const end = (): Promise<void> => {
    ending ??= setup.end(running ? child.pid : undefined);
    return ending;
  };
  const onAbort = (): void => {
    aborted = true;
    void end();
  };
  setup.signal?.addEventListener("abort", onAbort, { once: true });
  readToTheEnd(child, (chunk) => {
    const bytes = Buffer.from(chunk);
    ring.push(bytes);
    kept.push(bytes);
    setup.onOutput(chunk);
  });
  const done = new Promise<ExecResult>((resolve) => {
    child.onExit(async ({ exitCode, signal = 0 }) => {
      running = false;
      ends.emit("exit");
      await ending;
      setup.signal?.removeEventListener("abort", onAbort);
      resolve({
        stdout: kept.text(),
        stderr: "",
        output: kept.text(),
        outputBytes: kept.bytes,
        truncated: kept.truncated,
        exitCode: signal === 0 ? exitCode : -1,
        ...(signal === 0 ? {} : { signal: SIGNALS[signal] ?? `signal ${signal}` }),
        timedOut: false,
        aborted,
        durationMs: Math.round(setup.clock.now() - started),
      });
    });
  });
  if (setup.signal?.aborted) onAbort();
  const terminal: TerminalCommand = {
    command,
    done,
    get running() {
      return running;
    },
    read: (from) => ring.read(from),
    write: async (text) => {
      if (!running) throw new EnvError("closed", "The command has ended: nothing can be typed into it.");
      child.write(text);
    },
    resize: ({ columns, rows }: TerminalSize) => {
      if (running) child.resize(Math.max(2, columns), Math.max(1, rows));
    },
    stop: async () => {
      aborted = true;
      await end();
      await done;
    },
  };
  return { pid: child.pid, command: terminal, once: ends.once.bind(ends) };
}

function spawn(pty: Pty, command: string, setup: TerminalSetup): PtyProcess {
  const { mark, prelude, confinement, cwd, columns, rows, shell } = setup;
  const env = { ...setup.env, ...HARDENED, ...shell?.variables, ...setup.variables };
  const text = shell
    ? lastingText(command, shell, env, Object.keys({ ...HARDENED, ...shell.variables }))
    : { command, env };
  const directory = shell?.cwd ?? cwd;
  const options = { name: "xterm-256color", cols: columns, rows, cwd: directory, env: text.env };
  if (!confinement) {
    const [program, flag, script] = shellArgv(ownMark(mark, false, prelude) + text.command);
    return pty.spawn(program, [flag!, script!], options);
  }
  const confined = confinement.confine(shellArgv(text.command), { cwd: directory, env: text.env, terminal: true });
  const [program, ...args] = markedProgram(
    mark,
    withSetup(confined.argv, confined.setup, confinement, mark),
    false,
    prelude,
  );
  return pty.spawn(program, args, { ...options, cwd: confined.cwd, env: { ...confined.env, ...setup.variables } });
}

/**
 * A terminal passes no further descriptors to a program, so the confinement reads its setup from a file that only it
 * sees.
 */
function withSetup(argv: ProgramArgv, setup: Uint8Array | undefined, { folder }: Confinement, mark: Mark): ProgramArgv {
  if (setup === undefined || folder === undefined) return argv;
  const file = join(folder, `terminal-${mark.locks}`);
  writeFileSync(file, setup, { mode: 0o600 });
  return ["/bin/sh", "-c", 'exec 3<"$1"; rm -f -- "$1"; shift; exec "$@"', "lathe", file, ...argv];
}
