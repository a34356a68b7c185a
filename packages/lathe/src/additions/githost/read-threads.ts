// The content of `issue://` and `pr://` addresses, from the host: lists are always fetched, threads and diffs go
// through the cache.

import { ToolFailure } from "@lathe/agent";
import {
  type FileDiff,
  githubIssue,
  githubPullRequest,
  githubThread,
  gitlabDiff,
  gitlabIssue,
  gitlabMergeRequest,
  gitlabProject,
  gitlabThread,
  itemsAt,
  splitDiff,
  threadLine,
  threadText,
} from "@lathe/agent/files";
import type { JsonValue } from "@lathe/llm";
import { type HostApi, isMissing } from "./host-api.ts";
import type { RepoRef } from "./hosts.ts";
import { escapeQuery } from "./search-query.ts";
import type { ListFilter, ThreadAddress, ThreadScheme } from "./thread-address.ts";
import type { CachedText } from "./thread-cache.ts";

/** Longer diffs are cut at the end. */
const MOST_DIFF_BYTES = 20 << 20;

const isLab = ({ host }: RepoRef): boolean => host.kind === "gitlab";

/** The web page of a list or thread. */
export function pageOf(repo: RepoRef, scheme: ThreadScheme, number?: number): string {
  const { web } = repo.host;
  const list = isLab(repo) ? (scheme === "pr" ? "-/merge_requests" : "-/issues") : scheme === "pr" ? "pulls" : "issues";
  const one = !isLab(repo) && scheme === "pr" ? "pull" : list;
  return number === undefined ? `${web}/${repo.path}/${list}` : `${web}/${repo.path}/${one}/${number}`;
}

export async function readThread(
  api: HostApi,
  repo: RepoRef,
  { scheme, number, comments }: Extract<ThreadAddress, { kind: "thread" }>,
): Promise<CachedText> {
  const answers: Record<string, JsonValue> = {};
  const ask = async (path: string): Promise<JsonValue> => {
    const answer = await api.json(path);
    answers[path] = answer;
    return answer;
  };
  const wanted = { repo: repo.path, number, comments };
  const read = isLab(repo)
    ? { issue: gitlabIssue, pr: gitlabMergeRequest }
    : { issue: githubIssue, pr: githubPullRequest };
  try {
    const text = threadText(await read[scheme](ask, wanted));
    return { text, raw: JSON.stringify(answers), page: pageOf(repo, scheme, number) };
  } catch (error) {
    // GitHub numbers issues and pull requests in one sequence, so the number may be an issue.
    if (!isMissing(error) || isLab(repo) || scheme === "issue") throw error;
    throw new ToolFailure(
      `${(error as ToolFailure).message} If ${number} is an issue, read issue://${repo.path}/${number}.`,
    );
  }
}

export async function readDiff(api: HostApi, repo: RepoRef, number: number): Promise<CachedText> {
  const text = isLab(repo)
    ? await gitlabDiff((path) => api.json(path), repo.path, number)
    : await api.text(`/repos/${repo.path}/pulls/${number}`, {
        accept: "application/vnd.github.diff",
        maxBytes: MOST_DIFF_BYTES,
      });
  return { text, raw: "", page: pageOf(repo, "pr", number) };
}

/** The list of files, one file, or the whole diff. */
export function diffText(diff: string, { number, part, repo }: Extract<ThreadAddress, { kind: "diff" }>): string {
  if (part === "all") return diff;
  const files = splitDiff(diff);
  const address = `pr://${repo === undefined ? "" : `${repo}/`}${number}/diff`;
  if (part === undefined) return fileList(files, address);
  const file = files[part - 1];
  if (file) return file.text;
  throw new ToolFailure(`${address}/${part}: the diff has ${files.length} files.`);
}

const fileList = (files: readonly FileDiff[], address: string): string =>
  [
    `# ${files.length} changed ${files.length === 1 ? "file" : "files"}; read one with ${address}/<number>, all with ${address}/all`,
    ...files.map(({ path, added, removed }, at) => `${at + 1}. ${path} +${added} -${removed}`),
  ].join("\n");

export async function listThreads(
  api: HostApi,
  repo: RepoRef,
  scheme: ThreadScheme,
  filter: ListFilter,
): Promise<string> {
  const rows = isLab(repo) ? await gitlabRows(api, repo, scheme, filter) : await githubRows(api, repo, scheme, filter);
  const what = scheme === "pr" ? (isLab(repo) ? "merge requests" : "pull requests") : "issues";
  const head = `# ${repo.path}: ${filter.state === "all" ? "" : `${filter.state} `}${what}`;
  return [head, ...(rows.length === 0 ? ["None."] : rows)].join("\n");
}

async function githubRows(
  api: HostApi,
  { path: repo }: RepoRef,
  scheme: ThreadScheme,
  { state, limit, author, label }: ListFilter,
): Promise<readonly string[]> {
  const words = [
    `repo:${repo}`,
    scheme === "pr" ? "is:pr" : "is:issue",
    state === "all" ? "" : state === "merged" ? "is:merged" : `state:${state}`,
    author === undefined ? "" : `author:${author}`,
    label === undefined ? "" : `label:"${label.replaceAll('"', "")}"`,
  ];
  const query = escapeQuery(words.filter((word) => word !== "").join(" "));
  const found = await api.json(`/search/issues?order=desc&per_page=${limit}&q=${query}&sort=created`);
  return itemsAt(found, "items").map((item) => threadLine(githubThread(repo, item)));
}

async function gitlabRows(
  api: HostApi,
  { path: repo }: RepoRef,
  scheme: ThreadScheme,
  { state, limit, author, label }: ListFilter,
): Promise<readonly string[]> {
  const query = new URLSearchParams({ per_page: String(limit), state: state === "open" ? "opened" : state });
  if (author !== undefined) query.set("author_username", author);
  if (label !== undefined) query.set("labels", label);
  const kind = scheme === "pr" ? "merge_requests" : "issues";
  const found = await api.json(`${gitlabProject(repo)}/${kind}?${query}`);
  return itemsAt(found).map((item) => threadLine(gitlabThread(repo, item)));
}
