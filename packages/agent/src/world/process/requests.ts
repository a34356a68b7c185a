// The requests that `Processes` accepts: to run a command or open a program, and how all of them are confined and
// limited.

import type { CaptureRequest } from "./capture.ts";
import type { Clock } from "./clock.ts";
import type { Confinement } from "./confinement.ts";
import type { GovernorLimits } from "./governor.ts";
import type { ExecResult, LastingShellOptions, ProcessOptions, ProgramArgv, TwoWayProcess } from "./types.ts";

/** The mark that processes carry, and the clock for their deadlines. */
export interface ProcessesOptions {
  /** Value of the mark; must be unique on the machine. */
  readonly owner?: string | undefined;
  readonly clock?: Clock | undefined;
  /** Confines everything started here, except what should run `outside`. */
  readonly confinement?: Confinement | undefined;
  /** Limits for all commands together, and when a command must wait. */
  readonly limits?: GovernorLimits | undefined;
}

/** A command to run to its end. */
export interface RunRequest extends CaptureRequest {
  /** Program and arguments; a shell command is `shellArgv(command)`. */
  readonly argv: ProgramArgv;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** 0: none. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Sends the shell's stderr to its stdout: two pipes would not tell which was written to first. */
  readonly interleaved?: boolean | undefined;
  /** An internal command: brief and read-only. */
  readonly internal?: boolean | undefined;
  /** The command runs outside the sandbox. */
  readonly outside?: boolean | undefined;
  /** The caller does not wait for its end. */
  readonly stays?: boolean | undefined;
  /** `argv` runs in a shell that takes over a state; `command` is its text. */
  readonly shell?: (LastingShellOptions & { readonly command: string }) | undefined;
  /** Called before abort or timeout ends the command: ends what it started elsewhere. */
  readonly endFirst?: (() => Promise<void>) | undefined;
}

/** A program that was opened here; output that was read too far can be put back. */
export interface OpenedProcess extends TwoWayProcess {
  readonly stdout: TwoWayProcess["stdout"] & { unread(bytes: Uint8Array): void };
}

/** A program to communicate with. */
export interface OpenRequest
  extends Pick<RunRequest, "argv" | "cwd" | "env" | "endFirst">,
    Pick<ProcessOptions, "signal" | "writeTimeoutMs" | "onStderr" | "outside"> {
  /** Passes a signal on to where the program really runs; to our child's process group if absent. */
  readonly sendSignal?: ((name: NodeJS.Signals) => Promise<void>) | undefined;
  /** The name for error messages, if the program of interest is not the one that runs here. */
  readonly program?: string | undefined;
}

/** The notice to the model about a command that took too long. */
export function timeoutNotice(timeoutMs: number): string {
  return (
    `[ERROR: Command timed out after ${timeoutMs}ms. Partial output is shown above.\n` +
    `You can retry with a longer timeout by setting the timeout_ms parameter.]`
  );
}

/** The result of a command that was cancelled before it began. */
export function neverStarted(): ExecResult {
  return {
    stdout: "",
    stderr: "",
    output: "",
    outputBytes: 0,
    truncated: false,
    exitCode: -1,
    timedOut: false,
    aborted: true,
    durationMs: 0,
  };
}
