// Runs git where the session works. It runs nothing that a repository brings: no hooks, no monitors. Requests to a host
// carry that host's token, and no other.

import type { ExecutionEnvironment } from "@lathe/agent";
import { ToolFailure } from "@lathe/agent";
import { abortAfter } from "@lathe/agent/base";
import { INERT_GIT, NO_TRANSPORT, type ProgramArgv } from "@lathe/agent/world";
import { type GitHost, type RepoRef, repoOfRemote } from "./hosts.ts";

/** Otherwise, a hook in the change that is checked out would run with the checkout. */
const SAFE = [...INERT_GIT, "-c", "core.quotePath=false"];
const QUIET = { GIT_TERMINAL_PROMPT: "0", GIT_PAGER: "cat", LC_ALL: "C" };
const MOST_BYTES = 8 << 20;
/** Fetching a large repository takes long; local commands do not. */
const MOST_MS = 15 * 60_000;
const MOST_LOCAL_MS = 60_000;

export interface GitOptions {
  readonly cwd?: string | undefined;
  /** The command may use the network and write outside the working folders: the call declared this and was allowed. */
  readonly isAllowed?: boolean | undefined;
  readonly token?: { readonly host: GitHost; readonly value: string | undefined } | undefined;
}

interface GitAnswer {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export class Git {
  readonly #env: ExecutionEnvironment;
  readonly #signal: AbortSignal;

  constructor(env: ExecutionEnvironment, signal: AbortSignal) {
    this.#env = env;
    this.#signal = signal;
  }

  async ask(args: readonly string[], { cwd, isAllowed = false, token }: GitOptions = {}): Promise<GitAnswer> {
    if (!this.#env.startProcess) throw new ToolFailure("git cannot be run here.");
    const late = abortAfter(isAllowed ? MOST_MS : MOST_LOCAL_MS);
    const process = await this.#env.startProcess(["git", ...SAFE, ...args] as unknown as ProgramArgv, {
      env: { ...QUIET, ...(isAllowed ? {} : NO_TRANSPORT), ...tokenVariables(token) },
      signal: AbortSignal.any([this.#signal, late]),
      ...(cwd === undefined ? {} : { cwd }),
      ...(isAllowed ? { outside: true } : {}),
    });
    await process.endInput().catch(() => undefined);
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of process.stdout) {
      if (size < MOST_BYTES) chunks.push(chunk);
      size += chunk.length;
    }
    const { exitCode } = await process.exited;
    this.#signal.throwIfAborted();
    if (late.aborted) throw new ToolFailure(`git ${args[0]} took too long and was ended.`);
    return { exitCode, stdout: Buffer.concat(chunks).toString("utf8"), stderr: process.readStderr().text };
  }

  /** The output without its last line break; undefined if git fails or prints nothing. */
  async text(args: readonly string[], options?: GitOptions): Promise<string | undefined> {
    const { exitCode, stdout } = await this.ask(args, options);
    return exitCode === 0 && stdout !== "" ? stdout.replace(/\n$/, "") : undefined;
  }

  /** Fails with git's error message. */
  async runOrFail(what: string, args: readonly string[], options?: GitOptions): Promise<string> {
    const { exitCode, stdout, stderr } = await this.ask(args, options);
    if (exitCode === 0) return stdout.replace(/\n$/, "");
    throw new ToolFailure(`${what} did not work: ${reasonOf(stderr) || `git ended with code ${exitCode}`}`);
  }
}

/** Git's reason for a failure, in one line. */
function reasonOf(stderr: string): string {
  const lines = stderr
    .split("\n")
    .filter((line) => line.trim() !== "" && !/^(?:hint:|remote:\s*$|To |From )/.test(line));
  return lines
    .slice(-4)
    .map((line) => line.trim().replace(/^(?:fatal|error): /, ""))
    .join("; ");
}

/**
 * Passes the token as settings in git's environment, so that neither arguments nor files hold it. A remote over ssh
 * does not get it.
 */
function tokenVariables(token: GitOptions["token"]): Record<string, string> {
  if (token?.value === undefined) return {};
  const { host, value } = token;
  const user = host.kind === "gitlab" ? "oauth2" : "x-access-token";
  return {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: `http.${host.web}/.extraHeader`,
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${Buffer.from(`${user}:${value}`).toString("base64")}`,
  };
}

export interface Remote {
  readonly name: string;
  readonly url: string;
  readonly repo?: RepoRef | undefined;
  /** Whether `gh repo set-default` chose this remote. */
  readonly isChosen: boolean;
}

/** Remotes as they are written in the settings, before git rewrites their addresses; the likeliest first. */
export async function remotesOf(git: Git, hosts: readonly GitHost[]): Promise<readonly Remote[]> {
  const text = (await git.text(["config", "--null", "--get-regexp", "^remote\\..*\\.(url|gh-resolved)$"])) ?? "";
  const values = text.split("\0").flatMap((entry) => {
    const [, name, key, value] = /^remote\.(.*)\.(url|gh-resolved)\n(.*)$/s.exec(entry) ?? [];
    return name === undefined ? [] : [{ name, key, value: value ?? "" }];
  });
  const chosen = new Set(values.filter(({ key }) => key === "gh-resolved").map(({ name }) => name));
  const remotes = values
    .filter(({ key }) => key === "url")
    .map(({ name, value: url }) => ({ name, url, repo: repoOfRemote(url, hosts), isChosen: chosen.has(name) }));
  return remotes.sort((a, b) => rankOf(a) - rankOf(b));
}

/** The same order that gh uses. */
const USUAL = ["upstream", "github", "origin"];
function rankOf({ name, isChosen }: Remote): number {
  if (isChosen) return -1;
  const at = USUAL.indexOf(name);
  return at < 0 ? USUAL.length : at;
}
