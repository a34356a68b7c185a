// The facts about pull and merge requests that git needs (which branch of which repository), and how to create one.

import { ToolFailure } from "@lathe/agent";
import { gitlabProject, isTrueAt, itemsAt, numberAt, textAt } from "@lathe/agent/files";
import type { GithubArgs } from "@lathe/agent/tools";
import { type JsonValue, messageOf } from "@lathe/llm";
import type { Git } from "./git.ts";
import type { HostApi } from "./host-api.ts";
import type { RepoRef } from "./hosts.ts";
import { escapeQuery } from "./search-query.ts";

export interface PullFacts {
  readonly number: number;
  readonly title: string;
  readonly url: string;
  readonly headRef: string;
  /** The repository of the branch; absent if it was deleted. */
  readonly headRepo?: string | undefined;
  readonly isCrossRepository: boolean;
  readonly maintainerCanModify: boolean;
}

/** `wanted`: a number, or the name of the branch to be merged. */
export async function findPull(api: HostApi, { path: repo }: RepoRef, wanted: string): Promise<PullFacts> {
  const number = /^#?(\d+)$/.exec(wanted)?.[1];
  if (api.host.kind === "gitlab") {
    const base = `${gitlabProject(repo)}/merge_requests`;
    const found =
      number === undefined
        ? itemsAt(await api.json(`${base}?source_branch=${escapeQuery(wanted)}&state=opened`))[0]
        : await api.json(`${base}/${number}`);
    if (found === undefined) throw noPullFailure(repo, wanted);
    return mergeRequestFacts(api, repo, found);
  }
  const base = `/repos/${repo}/pulls`;
  const [owner = ""] = repo.split("/");
  const head = wanted.includes(":") ? wanted : `${owner}:${wanted}`;
  const found =
    number === undefined
      ? itemsAt(await api.json(`${base}?head=${escapeQuery(head)}`))[0]
      : await api.json(`${base}/${number}`);
  if (found === undefined) throw noPullFailure(repo, wanted);
  return pullFacts(repo, found);
}

const noPullFailure = (repo: string, branch: string): ToolFailure =>
  new ToolFailure(`There is no open pull request in ${repo} for the branch ${branch}. Give its number.`);

function pullFacts(repo: string, value: JsonValue): PullFacts {
  const headRepo = repoPath(textAt(value, "head", "repo", "full_name"));
  return {
    number: numberAt(value, "number") ?? 0,
    title: textAt(value, "title"),
    url: textAt(value, "html_url"),
    headRef: textAt(value, "head", "ref"),
    headRepo,
    isCrossRepository: headRepo?.toLowerCase() !== repo.toLowerCase(),
    maintainerCanModify: isTrueAt(value, "maintainer_can_modify"),
  };
}

/** Checks the path, because it becomes part of an address. */
const repoPath = (text: string): string | undefined => (/^[\w.-]+(?:\/[\w.-]+)+$/.test(text) ? text : undefined);

async function mergeRequestFacts(api: HostApi, repo: string, value: JsonValue): Promise<PullFacts> {
  const source = numberAt(value, "source_project_id");
  const isCrossRepository = source !== numberAt(value, "target_project_id");
  const project = isCrossRepository && source !== undefined ? await api.json(`/projects/${source}`) : undefined;
  return {
    number: numberAt(value, "iid") ?? 0,
    title: textAt(value, "title"),
    url: textAt(value, "web_url"),
    headRef: textAt(value, "source_branch"),
    headRepo: isCrossRepository ? repoPath(textAt(project, "path_with_namespace")) : repo,
    isCrossRepository,
    maintainerCanModify: isTrueAt(value, "allow_collaboration"),
  };
}

export interface NewPull {
  readonly title: string;
  readonly body: string;
  readonly base: string;
  /** `owner:branch` for a branch of a fork. */
  readonly head: string;
}

export interface CreatedPull {
  readonly url: string;
  readonly number: number;
  readonly state: string;
  /** Labels, assignees or reviewers that could not be set; the pull request exists anyway. */
  readonly problems: readonly string[];
}

export async function createPull(
  api: HostApi,
  { path: repo }: RepoRef,
  pull: NewPull,
  { draft = false, reviewer = [], assignee = [], label = [] }: GithubArgs,
): Promise<CreatedPull> {
  if (api.host.kind === "gitlab") return createMergeRequest(api, repo, pull, { draft, reviewer, assignee, label });
  const made = await api.json(`/repos/${repo}/pulls`, { method: "POST", body: { ...pull, draft } });
  const number = numberAt(made, "number") ?? 0;
  const teams = reviewer.filter((name) => name.includes("/")).map((name) => name.slice(name.indexOf("/") + 1));
  const users = reviewer.filter((name) => !name.includes("/"));
  const problems: string[] = [];
  const setExtra = async (
    what: string,
    isWanted: boolean,
    path: string,
    body: Record<string, string[]>,
  ): Promise<void> => {
    if (!isWanted) return;
    try {
      await api.json(`/repos/${repo}/${path}`, { method: "POST", body });
    } catch (error) {
      problems.push(`${what} could not be set: ${messageOf(error)}`);
    }
  };
  await setExtra("Labels", label.length > 0, `issues/${number}/labels`, { labels: [...label] });
  await setExtra("Assignees", assignee.length > 0, `issues/${number}/assignees`, { assignees: [...assignee] });
  const asked = {
    ...(users.length > 0 ? { reviewers: users } : {}),
    ...(teams.length > 0 ? { team_reviewers: teams } : {}),
  };
  await setExtra("Reviewers", reviewer.length > 0, `pulls/${number}/requested_reviewers`, asked);
  return { url: textAt(made, "html_url"), number, state: textAt(made, "state"), problems };
}

interface Extras {
  readonly draft: boolean;
  readonly reviewer: readonly string[];
  readonly assignee: readonly string[];
  readonly label: readonly string[];
}

async function createMergeRequest(
  api: HostApi,
  repo: string,
  { title, body, base, head }: NewPull,
  { draft, reviewer, assignee, label }: Extras,
): Promise<CreatedPull> {
  const problems: string[] = [];
  const idsOf = async (names: readonly string[]): Promise<number[]> => {
    const found = await Promise.all(names.map((name) => api.json(`/users?username=${escapeQuery(name)}`)));
    return found.flatMap((users, at) => {
      const id = numberAt(users, 0, "id");
      if (id === undefined) problems.push(`There is no user ${names[at]}.`);
      return id === undefined ? [] : [id];
    });
  };
  const [reviewers, assignees] = [await idsOf(reviewer), await idsOf(assignee)];
  const made = await api.json(`${gitlabProject(repo)}/merge_requests`, {
    method: "POST",
    body: {
      source_branch: head,
      target_branch: base,
      title: draft ? `Draft: ${title}` : title,
      description: body,
      ...(label.length > 0 ? { labels: label.join(",") } : {}),
      ...(reviewers.length > 0 ? { reviewer_ids: reviewers } : {}),
      ...(assignees.length > 0 ? { assignee_ids: assignees } : {}),
    },
  });
  return { url: textAt(made, "web_url"), number: numberAt(made, "iid") ?? 0, state: textAt(made, "state"), problems };
}

export async function defaultBranch(api: HostApi, { path }: RepoRef): Promise<string> {
  const facts = await api.json(api.host.kind === "gitlab" ? gitlabProject(path) : `/repos/${path}`);
  return textAt(facts, "default_branch") || "main";
}

/**
 * Title and body like those of `gh pr create --fill`: from the only commit, or a list of the commits under the branch's
 * name.
 */
export async function textFromCommits(
  git: Git,
  base: string,
  remote: string,
): Promise<{ title: string; body: string }> {
  const known = (await git.text(["rev-parse", "--verify", "--quiet", `refs/remotes/${remote}/${base}`])) ?? base;
  const log = await git.runOrFail("Reading the commits", [
    "log",
    "--reverse",
    "--format=%s%x1f%b%x1e",
    `${known}..HEAD`,
    "--",
  ]);
  const commits = log.split("\x1e").flatMap((entry) => {
    const [subject = "", body = ""] = entry.replace(/^\n/, "").split("\x1f");
    return subject === "" ? [] : [{ subject, body: body.trim() }];
  });
  const [first] = commits;
  if (!first) throw new ToolFailure(`The branch has no commits that ${base} does not have. Commit something first.`);
  if (commits.length === 1) return { title: first.subject, body: first.body };
  const branch = (await git.text(["symbolic-ref", "--short", "HEAD"])) ?? "";
  return { title: branch.replaceAll(/[-_]/g, " "), body: commits.map(({ subject }) => `- ${subject}`).join("\n") };
}
