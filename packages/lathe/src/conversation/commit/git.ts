// Git as a commit uses it. Commands that only read start no program that the repository configures; commands that
// change the repository run as the user's own git would, with hooks, filters and signing.

import { abortAfter } from "@lathe/agent/base";
import { INERT_GIT, NO_TRANSPORT, Processes, type ProgramArgv } from "@lathe/agent/world";
import { messageOf } from "@lathe/llm";
import { CliError, EXIT } from "../../platform/usage/exit.ts";

export interface GitAnswer {
  readonly exitCode: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

interface RunGit {
  readonly stdin?: string | Uint8Array;
  /** Used instead of the repository's own index. */
  readonly index?: string;
  /** Receives what git and its hooks print. */
  readonly onOutput?: (text: string) => void;
  readonly variables?: Readonly<Record<string, string>>;
}

export interface GitPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly signal: AbortSignal;
}

const READ_MS = 120_000;
/** Long, because hooks may run a whole test suite. */
const ACT_MS = 3_600_000;
const MOST_BYTES = 64 * 1024 * 1024;

const ASKING = [...INERT_GIT, "-c", "core.quotePath=false"];

export class CommitGit {
  readonly #processes: Processes;
  readonly #env: Record<string, string>;
  readonly signal: AbortSignal;
  cwd: string;

  constructor({ env, cwd, signal }: GitPlace, processes = new Processes()) {
    this.#processes = processes;
    this.#env = Object.fromEntries(Object.entries(env).flatMap(([k, v]) => (v === undefined ? [] : [[k, v]])));
    this.cwd = cwd;
    this.signal = signal;
  }

  /** Runs a command that only reads; its exit code is part of the answer. */
  ask(args: readonly string[], run: RunGit = {}): Promise<GitAnswer> {
    return this.#start([...ASKING, ...args], READ_MS, { ...run, variables: { ...run.variables, ...NO_TRANSPORT } });
  }

  /** The output without the last line break; undefined if git exits with an error. */
  async text(args: readonly string[], run: RunGit = {}): Promise<string | undefined> {
    const { exitCode, stdout } = await this.ask(args, run);
    return exitCode === 0 ? stdout.toString("utf8").replace(/\n$/, "") : undefined;
  }

  /** The output as bytes; throws if git exits with an error, which only a broken repository causes. */
  async must(args: readonly string[], run: RunGit = {}): Promise<Buffer> {
    const answer = await this.ask(args, run);
    if (answer.exitCode === 0) return answer.stdout;
    throw new CliError(EXIT.failed, `git ${args[0]} failed: ${firstLine(answer.stderr)}`);
  }

  /** Runs a command that changes the repository, as the user's own git would. */
  act(args: readonly string[], run: RunGit = {}): Promise<GitAnswer> {
    // Git's background maintenance would be killed together with the command.
    return this.#start(["-c", "gc.auto=0", "-c", "maintenance.auto=false", ...args], ACT_MS, run);
  }

  /** The same git for work that must finish although the user has interrupted. */
  withoutInterrupt(): CommitGit {
    return new CommitGit({ env: this.#env, cwd: this.cwd, signal: new AbortController().signal }, this.#processes);
  }

  close(): Promise<void> {
    return this.#processes.cleanup();
  }

  async #start(
    args: readonly string[],
    timeoutMs: number,
    { stdin, index, onOutput, variables }: RunGit,
  ): Promise<GitAnswer> {
    const chunks: Buffer[] = [];
    let room = MOST_BYTES;
    const onStdout = (chunk: Buffer): void => {
      if (room > 0) chunks.push(chunk.subarray(0, room));
      room -= chunk.length;
      onOutput?.(chunk.toString("utf8"));
    };
    try {
      const { exitCode, stderr } = await this.#processes.run({
        argv: ["git", ...args] as unknown as ProgramArgv,
        cwd: this.cwd,
        env: {
          ...this.#env,
          ...variables,
          GIT_PAGER: "cat",
          ...(index === undefined ? {} : { GIT_INDEX_FILE: index }),
        },
        timeoutMs,
        signal: AbortSignal.any([this.signal, abortAfter(timeoutMs)]),
        onStdout,
        ...(onOutput === undefined ? {} : { onOutput: (text, stream) => stream === "stderr" && onOutput(text) }),
        ...(stdin === undefined ? {} : { stdin: Buffer.from(stdin) }),
      });
      this.signal.throwIfAborted();
      return { exitCode, stdout: Buffer.concat(chunks), stderr };
    } catch (error) {
      this.signal.throwIfAborted();
      throw new CliError(EXIT.failed, `git could not be run: ${messageOf(error)}`, { cause: error });
    }
  }
}

/** Git's error message without its prefix. */
export function firstLine(stderr: string): string {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("hint:"));
  const line = lines.find((one) => /^(?:fatal|error):/.test(one)) ?? lines.at(-1) ?? "it gave no reason";
  return line.replace(/^(?:fatal|error): /, "").trim();
}
