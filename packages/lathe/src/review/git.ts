// Git as a review uses it: it only reads, and nothing that the repository configures is run.

import { Processes, type ProgramArgv } from "@lathe/agent";
import { messageOf } from "@lathe/llm";
import { CliError, EXIT } from "../usage/exit.ts";
import type { Workspace } from "../workspace/workspace.ts";

interface GitAnswer {
  readonly exitCode: number;
  readonly stdout: Buffer;
  /** There was more output than was wanted. */
  readonly isCut: boolean;
}

export interface Git {
  /** The exit code is part of the answer. */
  ask(args: readonly string[], mostBytes?: number): Promise<GitAnswer>;
  /** Text without the last line break; undefined when git says no. */
  text(args: readonly string[]): Promise<string | undefined>;
}

const PATIENCE_MS = 120_000;
const MOST_BYTES = 64 * 1024 * 1024;
const QUIET = ["--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false"];

/** Runs `work` with git in a folder; whatever it started ends with it. */
export async function withGit<T>(
  { env }: Pick<Workspace, "env">,
  cwd: string,
  work: (git: Git) => Promise<T>,
): Promise<T> {
  const processes = new Processes();
  const variables = Object.fromEntries(Object.entries(env).flatMap(([k, v]) => (v === undefined ? [] : [[k, v]])));
  const ask: Git["ask"] = async (args, mostBytes = MOST_BYTES) => {
    const chunks: Buffer[] = [];
    let room = mostBytes;
    let isCut = false;
    const { exitCode } = await processes.run({
      argv: ["git", ...QUIET, ...args] as unknown as ProgramArgv,
      cwd,
      env: { ...variables, GIT_TERMINAL_PROMPT: "0", GIT_PAGER: "cat" },
      timeoutMs: PATIENCE_MS,
      onStdout: (chunk) => {
        isCut ||= chunk.length > room;
        if (room > 0) chunks.push(chunk.subarray(0, room));
        room -= Math.min(room, chunk.length);
      },
    });
    return { exitCode, stdout: Buffer.concat(chunks), isCut };
  };
  const text: Git["text"] = async (args) => {
    const { exitCode, stdout } = await ask(args);
    return exitCode === 0 ? stdout.toString("utf8").replace(/\n$/, "") : undefined;
  };
  try {
    return await work({ ask, text });
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(EXIT.failed, `git could not be run: ${messageOf(error)}`, { cause: error });
  } finally {
    await processes.cleanup();
  }
}
