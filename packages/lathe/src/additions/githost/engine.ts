// The operations of the tool `github`, and what a call would reach and change, for approval.

import { dirname } from "node:path";
import { type ToolContext, ToolFailure, type ToolResult } from "@lathe/agent";
import type { CallScope } from "@lathe/agent/contract";
import { gitlabProject, gitlabThread, itemsAt, linksIn, threadLine } from "@lathe/agent/files";
import { type GitHosts, type GithubArgs, type GithubReach, programSetting } from "@lathe/agent/tools";
import type { JsonObject, JsonValue } from "@lathe/llm";
import { type Checkout, checkOutAll, mainWorktree, worktreePath } from "./checkout.ts";
import type { HostApi } from "./host-api.ts";
import type { HostPlaces, Place } from "./host-places.ts";
import { type GitHost, type RepoRef, repoOfPage, repoOfRemote } from "./hosts.ts";
import {
  type CreatedPull,
  createPull,
  defaultBranch,
  findPull,
  type NewPull,
  textFromCommits,
} from "./pull-requests.ts";
import { currentBranch, pushBranch, pushTarget } from "./push.ts";
import { pageOf } from "./read-threads.ts";
import { escapeQuery, isScoped, isSearch, limitOf, searchRequest } from "./search-query.ts";
import { repoText, searchText } from "./search-results.ts";
import { runWatch } from "./watch-operation.ts";

export interface EngineParts {
  readonly places: HostPlaces;
  readonly now: () => number;
  /** The folder for worktrees of pull requests, on the machine of the session. */
  readonly worktrees: string;
  /** Adds a folder that the agent may write to. */
  readonly addFolder: (path: string) => void;
}

export class GitHostEngine implements GitHosts {
  readonly #parts: EngineParts;

  constructor(parts: EngineParts) {
    this.#parts = parts;
  }

  async reach(args: GithubArgs, scope: CallScope): Promise<GithubReach> {
    const { places } = this.#parts;
    const place = await places.at(scope);
    const reachWith = async (host: GitHost, more: Partial<GithubReach> = {}): Promise<GithubReach> => ({
      host: host.name,
      isChosen: await places.isChosen(host, place, scope),
      ...more,
    });
    if (args.op === "pr_push") {
      const { url, remote } = await pushTarget(place.git, args.branch);
      const known = place.remotes.find(({ name }) => name === remote)?.repo;
      return known ? reachWith(known.host, { writes: url }) : { host: remote, isChosen: false, writes: url };
    }
    if (isSearch(args.op)) return reachWith(this.#searchTarget(args, place).host);
    const repo = this.#repoOf(args, place);
    if (args.op === "pr_create") return reachWith(repo.host, { writes: pageOf(repo, "pr") });
    if (args.op === "pr_checkout") return reachWith(repo.host, { folders: await this.#folders(args, place, scope) });
    return reachWith(repo.host);
  }

  async run(args: GithubArgs, context: ToolContext): Promise<ToolResult> {
    const place = await this.#parts.places.at(context);
    if (isSearch(args.op)) return this.#search(args, place, context);
    switch (args.op) {
      case "pr_push":
        return this.#push(args, place, context);
      case "pr_checkout":
        return this.#checkOut(args, place, context);
      case "pr_create":
        return this.#create(args, place, context);
      case "run_watch":
        return runWatch(args, { place, repo: this.#repoOf(args, place), ...this.#parts }, context);
      default:
        return this.#view(args, place, context);
    }
  }

  /** The repository of a call; the address of a run or pull request also names one. */
  #repoOf({ op, repo, run, pr }: GithubArgs, place: Place): RepoRef {
    const { places } = this.#parts;
    const address = op === "run_watch" ? run : op === "pr_checkout" ? [pr].flat()[0] : undefined;
    const page =
      address !== undefined && /^https?:/i.test(address) && URL.canParse(address) ? new URL(address) : undefined;
    const named = page && repoOfPage(page, places.hosts)?.repo;
    if (page && !named) throw new ToolFailure(`${address} is not on a known git host.`);
    if (!named) return places.repoOf(place, repo);
    if (repo !== undefined && places.repoOf(place, repo).path.toLowerCase() !== named.path.toLowerCase())
      throw new ToolFailure(`${address} does not belong to the repository ${repo}. Leave out \`repo\`.`);
    return named;
  }

  /** The host and repository to search; without a repository, the usual host. */
  #searchTarget({ op, repo, query }: GithubArgs, place: Place): { host: RepoRef["host"]; repo?: RepoRef } {
    if (op === "search_repos") return { host: place.usual };
    const found = repo === undefined ? place.repo : this.#parts.places.repoOf(place, repo);
    return found
      ? { host: found.host, ...(isScoped(query) && repo === undefined ? {} : { repo: found }) }
      : { host: place.usual };
  }

  async #search(args: GithubArgs, place: Place, context: ToolContext): Promise<ToolResult> {
    if (!isSearch(args.op)) throw new ToolFailure(`${args.op} is not a search.`);
    const { host, repo } = this.#searchTarget(args, place);
    const api = await this.#parts.places.api(host, context);
    if (host.kind === "gitlab") return searchGitlab(args, api, repo);
    const { path, query } = searchRequest({ ...args, op: args.op }, repo?.path, this.#parts.now());
    const accept = args.op === "search_code" ? { accept: "application/vnd.github.text-match+json" } : {};
    const found = await api.json(path, accept);
    const count = itemsAt(found, "items").length;
    return webResult(searchText(args.op, query, found), host.web, { outcome: resultCount(count) });
  }

  async #view(args: GithubArgs, place: Place, context: ToolContext): Promise<ToolResult> {
    const repo = this.#repoOf(args, place);
    const api = await this.#parts.places.api(repo.host, context);
    const facts = await api.json(repo.host.kind === "gitlab" ? gitlabProject(repo.path) : `/repos/${repo.path}`);
    return webResult(repoText(facts, args.branch), `${repo.host.web}/${repo.path}`, { repo: repo.path });
  }

  async #create(args: GithubArgs, place: Place, context: ToolContext): Promise<ToolResult> {
    const { title, body, fill = false } = args;
    if (fill && (title !== undefined || body !== undefined))
      throw new ToolFailure("`fill` takes title and body from the commits: leave out `title` and `body`.");
    if (!fill && (title ?? "").trim() === "") throw new ToolFailure("pr_create needs `title`, or `fill`.");
    const repo = this.#repoOf(args, place);
    const api = await this.#parts.places.api(repo.host, context);
    const base = args.base ?? (await defaultBranch(api, repo));
    const remote = place.remotes.find((one) => one.repo?.path === repo.path)?.name ?? "origin";
    const text = fill ? await textFromCommits(place.git, base, remote) : { title: title ?? "", body: body ?? "" };
    const pull = { ...text, base, head: args.head ?? (await headOf(place, repo)) };
    const made = await createPull(api, repo, pull, args);
    const details = { repo: repo.path, url: made.url, outcome: `#${made.number}` };
    return { content: [{ kind: "text", text: createdText(repo, pull, made, args) }], details, effects: "done" };
  }

  async #push({ branch, forceWithLease = false }: GithubArgs, place: Place, context: ToolContext): Promise<ToolResult> {
    await refuseUntrusted(context, place);
    const target = await pushTarget(place.git, branch);
    const remote = place.remotes.find(({ name }) => name === target.remote);
    const host = remote && repoOfRemote(remote.url, this.#parts.places.hosts)?.host;
    const token = host && { host, value: await this.#parts.places.token(host, context) };
    const note = await pushBranch(place.git, target, { forceWithLease, token });
    const text = [
      "# Pushed to the pull request",
      `Branch: ${target.branch} to ${target.remote}/${target.headRef}${forceWithLease ? " (with lease)" : ""}`,
      `Pull request: ${target.url}`,
      ...(note === "" ? [] : [note]),
    ].join("\n");
    const details = { branch: target.branch, remote: target.remote, remoteBranch: target.headRef, url: target.url };
    return { content: [{ kind: "text", text }], details, effects: "done" };
  }

  async #checkOut(args: GithubArgs, place: Place, context: ToolContext): Promise<ToolResult> {
    await refuseUntrusted(context, place);
    const { places, addFolder } = this.#parts;
    const repo = this.#repoOf(args, place);
    const api = await places.api(repo.host, context);
    const wanted = await Promise.all(identifiersOf(args).map((one) => this.#wantedPull(one, place)));
    const pulls = await Promise.all(wanted.map((one) => findPull(api, repo, one)));
    const distinct = pulls.filter((pull, at) => pulls.findIndex(({ number }) => number === pull.number) === at);
    const checkouts = await checkOutAll(
      distinct,
      {
        git: place.git,
        env: context.env,
        repo,
        remotes: place.remotes,
        token: { host: repo.host, value: api.token },
        base: await this.#base(context),
        root: await mainWorktree(place.git),
      },
      args.force ?? false,
    );
    for (const { path } of checkouts) addFolder(path);
    const details = {
      repo: repo.path,
      outcome: checkouts.length === 1 ? checkouts[0]!.branch : `${checkouts.length} worktrees`,
      checkouts: checkouts.map(({ pull, branch, path, remote, isReused }) => ({
        ...{ number: pull.number, branch, path, remote, remoteBranch: pull.headRef, reused: isReused },
      })),
    };
    return { content: [{ kind: "text", text: checkedOutText(checkouts) }], details, effects: "done" };
  }

  /**
   * The folders that a checkout writes to. Numbers determine their worktrees without a request; a branch name stands
   * for the folder of all worktrees.
   */
  async #folders(args: GithubArgs, place: Place, scope: CallScope): Promise<readonly string[]> {
    const root = await mainWorktree(place.git);
    const base = await this.#base(scope);
    const paths = identifiersOf(args).map((one) => {
      const number = pullNumber(one);
      return number === undefined ? dirname(worktreePath(base, root, 0)) : worktreePath(base, root, number);
    });
    return [...new Set(paths)];
  }

  async #wantedPull(identifier: string, place: Place): Promise<string> {
    if (identifier === "") return currentBranch(place.git);
    return String(pullNumber(identifier) ?? identifier);
  }

  /** The folder for worktrees. Lathe's home is on this machine; on another one, we use a folder in the home there. */
  async #base({ env }: CallScope): Promise<string> {
    const { worktrees } = this.#parts;
    const isHere = (await env.stat(dirname(worktrees))) !== undefined;
    return isHere ? worktrees : `${env.home ?? "/tmp"}/.lathe/wt`;
  }
}

/** The pull requests that a call names; "" stands for the one of the current branch. */
const identifiersOf = ({ pr = "" }: GithubArgs): readonly string[] => {
  const all = [pr].flat().map((one) => one.trim());
  return all.length === 0 ? [""] : all;
};

function pullNumber(identifier: string): number | undefined {
  const found = /^#?(\d+)$/.exec(identifier) ?? /^https?:\/\/.*\/(?:pull|merge_requests)\/(\d+)/.exec(identifier);
  return found ? Number(found[1]) : undefined;
}

/**
 * In a folder that the user does not trust, the repository's settings must not name a program, because fetching and
 * pushing would run it.
 */
async function refuseUntrusted({ services, env }: ToolContext, { git }: Place): Promise<void> {
  if (services.isFolderTrusted?.() !== false) return;
  const setting = await settingIn(git, env);
  if (setting === undefined) return;
  throw new ToolFailure(
    `This folder is not trusted, and git may run a program because of its setting ${setting}. The user can trust the folder: lathe trust`,
  );
}

/** The first setting in the repository's files that may start a program; hooks do not run anyway. */
async function settingIn(git: Place["git"], env: ToolContext["env"]): Promise<string | undefined> {
  for (const name of ["config", "config.worktree"]) {
    const file = await git.text(["rev-parse", "--path-format=absolute", "--git-path", name]);
    if (file === undefined || !(await env.stat(file))) continue;
    const text = await env.readFile(file);
    const setting = programSetting(text.replace(/^[ \t]*hookspath[ \t]*=.*$/gim, ""));
    if (setting !== undefined) return setting;
  }
  return undefined;
}

/** The branch in the form the host expects: with the owner of the fork, if it is pushed to one. */
async function headOf({ git, remotes }: Place, repo: RepoRef): Promise<string> {
  const branch = await currentBranch(git);
  const setting = async (key: string): Promise<string | undefined> => git.text(["config", "--get", key]);
  const name =
    (await setting(`branch.${branch}.pushRemote`)) ??
    (await setting("remote.pushDefault")) ??
    (await setting(`branch.${branch}.remote`));
  const pushed = remotes.find((remote) => remote.name === name)?.repo;
  if (!pushed || pushed.path.toLowerCase() === repo.path.toLowerCase()) return branch;
  return repo.host.kind === "gitlab" ? branch : `${pushed.path.split("/")[0]}:${branch}`;
}

function createdText(
  repo: RepoRef,
  { title, body, base, head }: NewPull,
  { url, number, problems }: CreatedPull,
  { draft = false }: GithubArgs,
): string {
  return [
    `# Created ${repo.path}#${number}: ${title}`,
    `URL: ${url}`,
    `State: open${draft ? ", draft" : ""}`,
    `Branches: ${head} into ${base}`,
    ...problems,
    ...(body === "" ? [] : ["", body]),
  ].join("\n");
}

function checkedOutText(checkouts: readonly Checkout[]): string {
  const parts = checkouts.map(({ pull, branch, path, remote, isReused }) =>
    [
      `# ${isReused ? "Already checked out" : "Checked out"}: #${pull.number} ${pull.title}`,
      `Worktree: ${path}`,
      `Branch: ${branch}, from ${remote}/${pull.headRef}`,
      `Pull request: ${pull.url}`,
      pull.headRepo === undefined
        ? "Its repository is gone: it cannot be pushed back."
        : `Commit in the worktree, then pr_push with branch ${branch}.`,
    ].join("\n"),
  );
  return parts.join("\n\n---\n\n");
}

async function searchGitlab(args: GithubArgs, api: HostApi, repo: RepoRef | undefined): Promise<ToolResult> {
  const kind = { search_issues: "issues", search_prs: "merge_requests" }[args.op as string];
  if (kind === undefined || !repo)
    throw new ToolFailure(
      `${args.op} is not supported on GitLab, except search_issues and search_prs in a repository.`,
    );
  const field = args.dateField ?? "created";
  if (args.since !== undefined || args.until !== undefined)
    throw new ToolFailure(`Dates (${field}) cannot be searched on GitLab. Leave out \`since\` and \`until\`.`);
  const limit = limitOf("limit", args.limit, 10, 50);
  const found = await api.json(
    `${gitlabProject(repo.path)}/${kind}?per_page=${limit}&search=${escapeQuery(args.query ?? "")}`,
  );
  const rows = itemsAt(found).map((item: JsonValue) => threadLine(gitlabThread(repo.path, item)));
  const head = `# ${repo.path}: ${kind.replace("_", " ")}${args.query ? `: ${args.query}` : ""}`;
  const text = [head, ...(rows.length === 0 ? ["Nothing found."] : rows)].join("\n");
  return webResult(text, repo.host.web, { outcome: resultCount(rows.length) });
}

const resultCount = (count: number): string => `${count} ${count === 1 ? "result" : "results"}`;

/** Text on a host is written by strangers, so it counts as text from the web. */
function webResult(text: string, source: string, details: JsonObject): ToolResult {
  return { content: [{ kind: "text", text }], details, effects: "none", fromWeb: { source, links: linksIn(text) } };
}
