// Why the process ended, as a number that scripts can rely on, and the one error type that carries it.

export const EXIT = {
  done: 0,
  /** The agent failed: it refused, its answer was empty or incomplete, or the schema was not met. */
  failed: 1,
  /** Bad usage; also an unknown model, session or file. */
  usage: 2,
  /** A provider, network or credential problem. */
  provider: 3,
  /** A needed call was denied because no user could be asked. */
  denied: 4,
  /** A budget or limit was reached. */
  budget: 5,
  /** The agent asked a question that cannot be answered here. */
  question: 6,
  internal: 70,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Shown to the user as one line on stderr: what is wrong, then what to do. */
export class CliError extends Error {
  readonly exitCode: ExitCode;
  constructor(exitCode: ExitCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "CliError";
    this.exitCode = exitCode;
  }
}

export const usageError = (message: string): CliError => new CliError(EXIT.usage, message);
