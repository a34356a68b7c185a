// Runs one of the user's own command lines (a hook, or a program that answers approvals) with an input: outside any
// sandbox, in the project's directory, with the user's variables, within a deadline.

import { LocalEnvironment } from "@lathe/agent";
import { shellArgv } from "@lathe/agent/world";
import type { Workspace } from "./workspace.ts";

export interface UserProgramEnd {
  readonly stdout: string;
  /** The last 64 KiB. */
  readonly stderr: string;
  /** -1 if a signal ended it. */
  readonly exitCode: number;
  readonly isLate: boolean;
  /** Whether it was ended because it wrote more than we read. */
  readonly isTooMuch: boolean;
}

interface UserProgram {
  readonly command: string;
  readonly input: string;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
  /** Variables added to the user's own. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Defaults to the project's folder. */
  readonly cwd?: string;
  /** Called with the first line of its output as soon as the line is complete. */
  readonly onFirstLine?: (line: string) => void;
}

/** A program that writes more than this to stdout is ended. */
const MOST_OUTPUT = 64 << 10;
const NEWLINE = 10;

export async function runUserProgram(
  { machine, cwd: project, env: baseEnv }: Workspace,
  { command, input, signal, timeoutMs, variables = {}, cwd = project, onFirstLine }: UserProgram,
): Promise<UserProgramEnd> {
  const env = new LocalEnvironment({ cwd, baseEnv, envPolicy: "inherit_all", owner: machine.deps.uuid() });
  const late = new AbortController();
  const timer = timeoutMs === undefined ? undefined : machine.deps.setTimer(() => late.abort(), timeoutMs);
  try {
    const program = await env.startProcess(shellArgv(command), {
      signal: AbortSignal.any([signal, late.signal]),
      env: variables,
    });
    // A program that does not read its input may end before all of it is written; its answer decides.
    const written = program.write(input).then(
      () => program.endInput(),
      () => undefined,
    );
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    let hasFirstLine = false;
    for await (const chunk of program.stdout) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (onFirstLine && !hasFirstLine && chunk.includes(NEWLINE)) {
        hasFirstLine = true;
        onFirstLine(Buffer.concat(chunks).toString("utf8").split("\n", 1)[0] ?? "");
      }
      if (bytes > MOST_OUTPUT) break;
    }
    await written;
    if (bytes > MOST_OUTPUT) await program.stop(0);
    const { exitCode } = await program.exited;
    const stdout = Buffer.concat(chunks).toString("utf8").slice(0, MOST_OUTPUT);
    return {
      stdout,
      stderr: program.readStderr().text,
      exitCode,
      isLate: late.signal.aborted,
      isTooMuch: bytes > MOST_OUTPUT,
    };
  } finally {
    timer?.cancel();
    await env.cleanup();
  }
}
