// Git as a review uses it: it only reads, and starts no program that the repository configures; only trust in the folder
// lets filters run and missing objects be fetched. In a run with --worktree it works in the view.

import { EnvError, type ExecutionEnvironment } from "@lathe/agent";
import { abortAfter } from "@lathe/agent/base";
import {
  type FilterChoice,
  INERT_GIT,
  LIST_SETTINGS,
  NO_TRANSPORT,
  Processes,
  type ProgramArgv,
  withoutFilters,
} from "@lathe/agent/world";
import { messageOf } from "@lathe/llm";
import { isTrusted } from "../../config/trust/trust.ts";
import type { Workspace } from "../../config/workspace/workspace.ts";
import { CliError, EXIT } from "../../platform/usage/exit.ts";
import { stuckFilterLine } from "../filters-off.ts";
import { type Disk, hostDisk, viewDisk } from "./disk.ts";

interface GitAnswer {
  readonly exitCode: number;
  readonly stdout: Buffer;
  /** The output was longer than requested. */
  readonly isCut: boolean;
}

/** Where git runs: on the machine, or in the view of the run. Without `paths` and `machine`, no folder is trusted. */
export interface GitPlace extends Pick<Workspace, "env">, Partial<Pick<Workspace, "paths" | "machine">> {
  readonly view?: { readonly env: ExecutionEnvironment } | undefined;
}

export interface Git {
  /** Runs git; the exit code is part of the answer. */
  ask(args: readonly string[], mostBytes?: number): Promise<GitAnswer>;
  /** The output without the last line break; undefined if git exits with an error. */
  text(args: readonly string[]): Promise<string | undefined>;
  /** Filters that do not run although the repository configures them: their files may show as changed. */
  filtersOff(): Promise<readonly string[]>;
  /** The files that git works with. */
  readonly disk: Disk;
}

const PATIENCE_MS = 120_000;
const MOST_BYTES = 64 * 1024 * 1024;
const QUIET = [...INERT_GIT, "-c", "core.quotePath=false"];

const OUR_OWN = { GIT_TERMINAL_PROMPT: "0", GIT_PAGER: "cat" };

/** Keeps the first bytes and records whether there were more. */
class Output {
  readonly #chunks: Uint8Array[] = [];
  #room: number;
  isCut = false;

  constructor(most: number) {
    this.#room = most;
  }

  add(chunk: Uint8Array): void {
    this.isCut ||= chunk.length > this.#room;
    if (this.#room > 0) this.#chunks.push(chunk.subarray(0, this.#room));
    this.#room -= Math.min(this.#room, chunk.length);
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}

async function runInView(
  env: ExecutionEnvironment,
  argv: ProgramArgv,
  cwd: string,
  variables: Readonly<Record<string, string>>,
  onStdout: (chunk: Uint8Array) => void,
): Promise<number> {
  if (!env.startProcess) throw new EnvError("unavailable", "No program can be run in this view.");
  const running = await env.startProcess(argv, { cwd, env: variables, signal: abortAfter(PATIENCE_MS) });
  await running.endInput();
  for await (const chunk of running.stdout) onStdout(chunk);
  return (await running.exited).exitCode;
}

/** Runs `work` with git in a folder; processes it started end with it. */
export async function withGit<T>(place: GitPlace, cwd: string, work: (git: Git) => Promise<T>): Promise<T> {
  const { env, view, paths, machine } = place;
  const trusts = paths !== undefined && machine !== undefined && isTrusted(paths.trust, cwd, machine.userHome);
  const ours = { ...OUR_OWN, ...(trusts ? {} : NO_TRANSPORT) };
  const processes = new Processes();
  const variables = Object.fromEntries(Object.entries(env).flatMap(([k, v]) => (v === undefined ? [] : [[k, v]])));
  const start = async (args: readonly string[], mostBytes: number): Promise<GitAnswer> => {
    const taken = new Output(mostBytes);
    const argv = ["git", ...args] as unknown as ProgramArgv;
    const onStdout = (chunk: Uint8Array): void => taken.add(chunk);
    const exitCode = view
      ? await runInView(view.env, argv, cwd, ours, onStdout)
      : (await processes.run({ argv, cwd, env: { ...variables, ...ours }, timeoutMs: PATIENCE_MS, onStdout })).exitCode;
    return { exitCode, stdout: taken.bytes, isCut: taken.isCut };
  };
  let choice: Promise<FilterChoice> | undefined;
  const filters = (): Promise<FilterChoice> => (choice ??= trusts ? Promise.resolve(ALL) : filterChoice(start));
  const ask: Git["ask"] = async (args, mostBytes = MOST_BYTES) =>
    start([...QUIET, ...(await filters()).options, ...args], mostBytes);
  const text: Git["text"] = async (args) => {
    const { exitCode, stdout } = await ask(args);
    return exitCode === 0 ? stdout.toString("utf8").replace(/\n$/, "") : undefined;
  };
  try {
    return await work({
      ask,
      text,
      filtersOff: async () => (await filters()).off,
      disk: view ? viewDisk(view.env) : hostDisk,
    });
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(EXIT.failed, `git could not be run: ${messageOf(error)}`, { cause: error });
  } finally {
    await processes.cleanup();
  }
}

/** The reason if git fails to compare, which only a broken or incomplete repository causes. */
export const NOT_COMPARED =
  "git could not compare the files, so nothing was reviewed. Try git diff; in a partial clone that is not trusted (lathe trust), Lathe does not fetch missing objects.";

const ALL: FilterChoice = { options: [], off: [] };

type Start = (args: readonly string[], mostBytes: number) => Promise<GitAnswer>;

async function filterChoice(start: Start): Promise<FilterChoice> {
  const { exitCode, stdout, isCut } = await start([...QUIET, ...LIST_SETTINGS], MOST_BYTES);
  if (exitCode !== 0 || isCut) throw new CliError(EXIT.usage, "git's settings could not be read here.");
  const choice = withoutFilters(stdout.toString("utf8"));
  if (choice.stuck !== undefined) throw new CliError(EXIT.usage, stuckFilterLine(choice.stuck));
  return choice;
}
