// What commands and processes look like to the caller that starts them, and the one kind of error that environments fail with.

import type { ShellState } from "./shell-state.ts";

/** Where a command runs and where its output goes. */
export interface ExecOptions {
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onOutput?: ((chunk: string, stream: "stdout" | "stderr") => void) | undefined;
  /** Both streams in the exact order in which they were written; all of it is then reported as stdout. */
  readonly interleaved?: boolean | undefined;
  /** Receives every byte beyond what is kept in memory; the session stores it as an artifact. */
  readonly spill?: OutputSpill | undefined;
  /** The command is not confined although the environment is sandboxed: the user has allowed it. It means nothing elsewhere. */
  readonly outside?: boolean | undefined;
  /** A question of the session's own, such as git's state: the user need not be told what this command does not see. */
  readonly internal?: boolean | undefined;
  /** The user typed the command: it sees every variable of the host. */
  readonly isUsers?: boolean | undefined;
  /** The command takes over the state of an earlier one and reports its own. An environment without bash ignores it. */
  readonly shell?: LastingShellOptions | undefined;
}

/** The state that a command begins with. */
export interface LastingShellOptions {
  /** Absent: a shell that has run nothing yet. */
  readonly state?: ShellState | undefined;
  /** The shell reads the person's profile first. Only without a state: it holds what the profile said. */
  readonly login?: boolean | undefined;
  /** Where it runs, absolute; the state's directory when absent. */
  readonly cwd?: string | undefined;
  /** Exported for this command. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
}

/** Takes the whole output once it no longer fits in memory. */
export interface OutputSpill {
  write(chunk: Uint8Array): void;
}

/** How a command ended, and what it wrote. */
export interface ExecResult {
  readonly stdout: string;
  readonly stderr: string;
  /** Both streams as they came, bounded (head + tail). */
  readonly output: string;
  /** Total bytes produced, also those no longer in `output`. */
  readonly outputBytes: number;
  readonly truncated: boolean;
  /** -1 when ended by a signal. */
  readonly exitCode: number;
  readonly signal?: string;
  readonly timedOut: boolean;
  readonly aborted: boolean;
  readonly durationMs: number;
  /** What the environment adds about a failure, for the model and for people: that the sandbox or a limit caused it. */
  readonly note?: string;
  /** What the shell held at the end; absent when it was ended from outside, or was replaced by `exec`. */
  readonly shell?: ShellState;
}

/** A command that runs in the background; `cleanup` of its environment ends it. */
export interface BackgroundCommand {
  readonly command: string;
  readonly running: boolean;
  /** Settles when the command has ended, in whatever way. Rejects with EnvError when it could not start. */
  readonly done: Promise<ExecResult>;
  /** Output from byte offset `from` on; `missed` bytes before it are no longer held. Pass `next` to continue. */
  read(from?: number): { readonly text: string; readonly next: number; readonly missed: number };
  /** SIGTERM, two seconds, SIGKILL, with everything it started. */
  stop(): Promise<void>;
  /** Types into the command, as a person would. Absent where its input is closed. */
  write?(text: string): Promise<void>;
  /** What its terminal shows, of a command that has one. */
  screen?(): Promise<{ readonly text: string; readonly isFullScreen: boolean }>;
}

/** How large a terminal is, in characters. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** Where a command runs that has a terminal of its own. */
export interface TerminalOptions
  extends Pick<ExecOptions, "cwd" | "env" | "signal" | "outside" | "shell">,
    TerminalSize {
  /** What it prints, as it comes, with everything that moves the cursor. */
  readonly onOutput: (chunk: string) => void;
}

/** A command in a terminal of its own. Its output is what a terminal would be sent. */
export interface TerminalCommand extends BackgroundCommand {
  write(text: string): Promise<void>;
  resize(size: TerminalSize): void;
}

/** Program and arguments, without a shell in between. A program without a slash is looked up on PATH. */
export type ProgramArgv = readonly [string, ...string[]];

/** Where a program runs and how long a write to it may wait. */
export interface ProcessOptions {
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** The same as in ExecOptions. */
  readonly outside?: boolean | undefined;
  /** Ends the process at once, as `stop(0)` does. */
  readonly signal?: AbortSignal | undefined;
  /** How long one write may wait until the program has taken it; 30 seconds when absent. */
  readonly writeTimeoutMs?: number | undefined;
  /** Whole characters as they come, for a log. */
  readonly onStderr?: ((text: string) => void) | undefined;
}

/** How a program ended. */
export interface ProcessExit {
  /** -1 when ended by a signal. */
  readonly exitCode: number;
  readonly signal?: string;
  /** We ended it: by `stop`, by the abort signal or by `cleanup`. */
  readonly stopped: boolean;
  /** A limit has ended it: a sentence for people. */
  readonly limitNote?: string;
  readonly durationMs: number;
}

/**
 * A program that we write to and read from: a language server, a debugger, a kernel. Bytes are passed on as they are; framing
 * is up to the caller (`byteLines` splits lines). `cleanup` of its environment ends it.
 */
export interface TwoWayProcess {
  /**
   * In the order of the calls; resolves when the program's pipe has taken all bytes, so awaiting each write keeps pace with
   * the program. Rejects with EnvError: `busy` when 8 MiB are waiting already, `timed_out` after `writeTimeoutMs`, `closed`
   * when the program has exited, has closed its stdin or `endInput` was called. A write that ended in the middle
   * closes the input: whatever came after it would be misread.
   */
  write(bytes: string | Uint8Array): Promise<void>;
  /** The program reads an end of file after what is queued; its output continues. Resolves when the pipe is closed. */
  endInput(): Promise<void>;
  /** For one reader. What is not read holds the program back. A later loop continues where an earlier one stopped. */
  readonly stdout: AsyncIterable<Uint8Array>;
  /** The last 64 KiB of stderr, from byte offset `from` on, as `BackgroundCommand.read` does. Never holds the program back. */
  readStderr(from?: number): { readonly text: string; readonly next: number; readonly missed: number };
  /** Resolves once, when the program itself has ended; never rejects. `stdout` can still be read to its end. */
  readonly exited: Promise<ProcessExit>;
  /** Signals the program and the processes of its group, such as SIGINT for a kernel. Does nothing after it has exited. */
  signal(name: NodeJS.Signals): Promise<void>;
  /**
   * Closes stdin, gives the program `graceMs` (500 when absent) to exit on its own, then SIGTERM, two seconds, SIGKILL. What
   * the program started ends with it.
   */
  stop(graceMs?: number): Promise<ProcessExit>;
}

/** What went wrong, for programs. */
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

/** Every failure of an environment. `message` names the path and is fit for the model. */
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
