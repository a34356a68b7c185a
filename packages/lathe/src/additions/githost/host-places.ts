// What a call needs to know: the known hosts, the repository of its working folder, and the API of a host with the
// user's token.

import { ToolFailure } from "@lathe/agent";
import type { CallScope } from "@lathe/agent/contract";
import type { WebGate } from "@lathe/agent/files";
import type { ProgramArgv } from "@lathe/agent/world";
import type { Workspace } from "../../config/workspace/workspace.ts";
import { Git, type Remote, remotesOf } from "./git.ts";
import { HostApi } from "./host-api.ts";
import { type GitHost, knownHosts, type RepoRef, repoOfText } from "./hosts.ts";
import { ghHostsFile } from "./token-names.ts";
import { ghLogins, tokenFor } from "./tokens.ts";

export type HostScope = Pick<CallScope, "env" | "signal" | "services">;

export interface Place {
  readonly git: Git;
  readonly remotes: readonly Remote[];
  /** The repository of the working folder. */
  readonly repo: RepoRef | undefined;
  /** The host of a repository named without one. */
  readonly usual: GitHost;
}

type HostWorkspace = Pick<Workspace, "env" | "userEnv" | "machine" | "redactor">;

export class HostPlaces {
  readonly hosts: readonly GitHost[];
  readonly #workspace: HostWorkspace;
  readonly #logins: ReadonlyMap<string, string>;
  readonly #ghTokens = new Map<string, Promise<string | undefined>>();

  constructor(workspace: HostWorkspace) {
    this.#workspace = workspace;
    // This uses the user's own variables, because a project's .env file must not redirect tokens.
    this.#logins = ghLogins(ghHostsFile(workspace.userEnv, workspace.machine.userHome));
    this.hosts = knownHosts(workspace.machine.env, [...this.#logins.keys()]);
  }

  async at({ env, signal }: HostScope): Promise<Place> {
    const git = new Git(env, signal);
    const remotes = await remotesOf(git, this.hosts);
    const repo = remotes.find((remote) => remote.repo)?.repo;
    const named = this.#workspace.machine.env["GH_HOST"] ? this.hosts[0] : undefined;
    return { git, remotes, repo, usual: named ?? repo?.host ?? this.#publicHost() };
  }

  #publicHost(): GitHost {
    return this.hosts.find(({ name }) => name === "github.com") ?? this.hosts[0]!;
  }

  /** Without a text, the repository of the working folder. */
  repoOf({ repo, usual, remotes }: Place, text: string | undefined): RepoRef {
    const names = this.hosts.map(({ name }) => name).join(", ");
    if (text !== undefined) {
      const named = repoOfText(text, this.hosts, usual);
      if (named) return named;
      throw new ToolFailure(`"${text}" is not a repository on a known git host (${names}). Write it as owner/name.`);
    }
    if (repo) return repo;
    const why =
      remotes.length === 0
        ? "This folder has no git remote."
        : `No remote of this folder is on a known git host (${names}).`;
    throw new ToolFailure(
      `${why} Name the repository as owner/name, or set GH_HOST or GITLAB_HOST to the server of the remote.`,
    );
  }

  async token(host: GitHost, { env, signal }: HostScope): Promise<string | undefined> {
    const { env: variables, machine, redactor } = this.#workspace;
    const server = machine.env["GITHUB_SERVER_URL"] ?? "";
    const token = await tokenFor(host, {
      env: variables,
      logins: this.#logins,
      mainServer: URL.canParse(server) ? new URL(server).host : "github.com",
      askGh: (name) => this.#askGh(name, { env, signal }),
    });
    if (token !== undefined) redactor.add(`${host.name} token`, token, host.name);
    return token;
  }

  /** The user chose a host by having a token for it, or by working in one of its repositories. */
  async isChosen(host: GitHost, { remotes }: Place, scope: HostScope): Promise<boolean> {
    return remotes.some(({ repo }) => repo?.host === host) || (await this.token(host, scope)) !== undefined;
  }

  /** `signal`: that of the call, unless the request may outlive it. */
  async api(host: GitHost, scope: HostScope, signal: AbortSignal = scope.signal): Promise<HostApi> {
    return new HostApi(host, await this.token(host, scope), this.#gate(host, scope), signal);
  }

  #gate({ api }: GitHost, { services }: HostScope): WebGate {
    const gate = services.web?.gate;
    if (!gate) throw new ToolFailure("The web cannot be reached from here.");
    // The host may be opened because the user's own variables name it.
    gate.openTyped(api);
    return gate;
  }

  /** Asks gh for a token that it keeps in the system's keyring. */
  #askGh(host: string, { env, signal }: Pick<HostScope, "env" | "signal">): Promise<string | undefined> {
    const known = this.#ghTokens.get(host) ?? ghToken(host, env, signal);
    this.#ghTokens.set(host, known);
    return known;
  }
}

async function ghToken(host: string, env: HostScope["env"], signal: AbortSignal): Promise<string | undefined> {
  const argv: ProgramArgv = ["gh", "auth", "token", "--hostname", host];
  const running = await env.startProcess?.(argv, { signal, outside: true }).catch(() => undefined);
  if (!running) return undefined; // gh is not installed
  await running.endInput().catch(() => undefined);
  let said = "";
  for await (const chunk of running.stdout) said += Buffer.from(chunk).toString("utf8");
  return (await running.exited).exitCode === 0 ? said.trim() || undefined : undefined;
}
