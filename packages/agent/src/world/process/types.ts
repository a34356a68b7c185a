// What commands and processes look like to their caller, and the one kind of error that environments throw.

import type { ShellState } from "./shell-state.ts";

/** The options of a command: its directory, input and output. */
export interface ExecOptions {
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onOutput?: ((chunk: string, stream: "stdout" | "stderr") => void) | undefined;
  /** Both streams in the exact order in which they were written, all reported as stdout. */
  readonly interleaved?: boolean | undefined;
  /** Receives every byte beyond what is kept in memory; the session stores it as an artifact. */
  readonly spill?: OutputSpill | undefined;
  /** Do not confine the command although the environment is sandboxed: the user has allowed it. No effect elsewhere. */
  readonly outside?: boolean | undefined;
  /**
   * A command of the session itself, such as a query of git's state: the user need not be told which variables it does
   * not see.
   */
  readonly internal?: boolean | undefined;
  /** The user typed the command: it sees every variable of the host. */
  readonly isUsers?: boolean | undefined;
  /** The command takes over the state of an earlier one and reports its own. Environments without bash ignore it. */
  readonly shell?: LastingShellOptions | undefined;
}

/** The state that a command begins with. */
export interface LastingShellOptions {
  /** Absent: a fresh shell. */
  readonly state?: ShellState | undefined;
  /** The shell reads the user's profile first. Only without a state, which already contains the profile's effects. */
  readonly login?: boolean | undefined;
  /** Its working directory, absolute; the state's if absent. */
  readonly cwd?: string | undefined;
  /** Exported for this command only. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
}

/** Receives the whole output once it no longer fits in memory. */
export interface OutputSpill {
  write(chunk: Uint8Array): void;
}

/** How a command ended, and what it wrote. */
export interface ExecResult {
  readonly stdout: string;
  readonly stderr: string;
  /** Both streams as they arrived, bounded (head + tail). */
  readonly output: string;
  /** Total bytes produced, including those no longer in `output`. */
  readonly outputBytes: number;
  readonly truncated: boolean;
  /** -1 if a signal ended it. */
  readonly exitCode: number;
  readonly signal?: string;
  readonly timedOut: boolean;
  readonly aborted: boolean;
  readonly durationMs: number;
  /** What the environment adds about a failure, for the model and the user: that the sandbox or a limit caused it. */
  readonly note?: string;
  /** The shell's state at the end; absent if the shell was killed or replaced by `exec`. */
  readonly shell?: ShellState;
}

/** A command that runs in the background; `cleanup` of its environment ends it. */
export interface BackgroundCommand {
  readonly command: string;
  readonly running: boolean;
  /** Settles when the command has ended, in whatever way. Rejects with EnvError if it could not start. */
  readonly done: Promise<ExecResult>;
  /** Output from byte offset `from` on; `missed` bytes before it are no longer available. Pass `next` to continue. */
  read(from?: number): { readonly text: string; readonly next: number; readonly missed: number };
  /** SIGTERM, then SIGKILL after two seconds, for the command and everything it started. */
  stop(): Promise<void>;
  /** Types into the command, as a user would. Absent if its input is closed. */
  write?(text: string): Promise<void>;
  /** What the command's terminal shows, if it has one. */
  screen?(): Promise<{ readonly text: string; readonly isFullScreen: boolean }>;
}

/** The size of a terminal in characters. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** The options of a command that has its own terminal. */
export interface TerminalOptions
  extends Pick<ExecOptions, "cwd" | "env" | "signal" | "outside" | "shell">,
    TerminalSize {
  /** The output as it arrives, including all escape sequences. */
  readonly onOutput: (chunk: string) => void;
}

/** A command in its own terminal. Its output is the raw terminal stream. */
export interface TerminalCommand extends BackgroundCommand {
  write(text: string): Promise<void>;
  resize(size: TerminalSize): void;
}

/** Program and arguments, without a shell in between. A program without a slash is looked up on PATH. */
export type ProgramArgv = readonly [string, ...string[]];

/** The options of a program that we communicate with. */
export interface ProcessOptions {
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** The same as in ExecOptions. */
  readonly outside?: boolean | undefined;
  /** Ends the process at once, as `stop(0)` does. */
  readonly signal?: AbortSignal | undefined;
  /** How long one write may wait until the program has taken it; 30 seconds when absent. */
  readonly writeTimeoutMs?: number | undefined;
  /** Whole characters as they arrive, for a log. */
  readonly onStderr?: ((text: string) => void) | undefined;
}

/** How a program ended. */
export interface ProcessExit {
  /** -1 if a signal ended it. */
  readonly exitCode: number;
  readonly signal?: string;
  /** We ended it: by `stop`, by the abort signal or by `cleanup`. */
  readonly stopped: boolean;
  /** A sentence for the user, if a limit ended the program. */
  readonly limitNote?: string;
  readonly durationMs: number;
}

/**
 * A program that we write to and read from: a language server, a debugger, a kernel. Bytes are passed on unchanged;
 * framing is up to the caller (`byteLines` splits lines). `cleanup` of its environment ends it.
 */
export interface TwoWayProcess {
  /**
   * Writes in call order; resolves when the program's pipe has taken all bytes, so awaiting each write keeps pace with
   * the program. Rejects with EnvError: `busy` if 8 MiB are already queued, `timed_out` after `writeTimeoutMs`,
   * `closed` if the program has exited, has closed its stdin or `endInput` was called. A write that was cut off closes
   * the input, because whatever came after it would be misread.
   */
  write(bytes: string | Uint8Array): Promise<void>;
  /** The program reads an end of file after the queued data; its output continues. Resolves when the pipe is closed. */
  endInput(): Promise<void>;
  /** For one reader. Unread output holds the program back. A later loop continues where an earlier one stopped. */
  readonly stdout: AsyncIterable<Uint8Array>;
  /** The last 64 KiB of stderr, from byte offset `from` on, as `BackgroundCommand.read` does. Never holds the program back. */
  readStderr(from?: number): { readonly text: string; readonly next: number; readonly missed: number };
  /** Resolves once, when the program itself has ended; never rejects. `stdout` can still be read to its end. */
  readonly exited: Promise<ProcessExit>;
  /** Signals the program and the processes of its group, such as SIGINT for a kernel. Does nothing after it has exited. */
  signal(name: NodeJS.Signals): Promise<void>;
  /**
   * Closes stdin, gives the program `graceMs` (500 if absent) to exit by itself, then sends SIGTERM and, two seconds
   * later, SIGKILL. Processes that it started end with it.
   */
  stop(graceMs?: number): Promise<ProcessExit>;
}

/** The kind of failure, for programs. */
export type EnvErrorCode =
  | "not_found"
  | "permission_denied"
  | "is_directory"
  | "not_directory"
  | "not_file"
  | "exists"
  | "changed"
  | "overwrote"
  | "no_space"
  | "read_only"
  | "outside_root"
  | "not_permitted"
  | "bad_pattern"
  | "unavailable"
  | "busy"
  | "closed"
  | "timed_out"
  | "io";

/** Every failure of an environment. `message` names the path and can be shown to the model. */
export class EnvError extends Error {
  readonly code: EnvErrorCode;
  readonly path?: string;
  constructor(code: EnvErrorCode, message: string, options: { path?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "EnvError";
    this.code = code;
    if (options.path !== undefined) this.path = options.path;
  }
}
