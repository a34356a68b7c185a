// Issues and merge requests of GitLab, over its REST API (version 4).

import type { JsonValue } from "@lathe/llm";
import { isTrueAt, itemsAt, numberAt, textAt } from "./answer-fields.ts";
import { type FileDiff, type GitComment, type GitThread, splitDiff } from "./git-thread.ts";
import type { AskHost, ThreadWanted } from "./github-threads.ts";

const PAGE = 100;
const MOST_PAGES = 10;

/** The API path of a project. */
export const gitlabProject = (repo: string): string => `/projects/${encodeURIComponent(repo)}`;

/** An issue of GitLab. */
export async function gitlabIssue(ask: AskHost, { repo, number, comments }: ThreadWanted): Promise<GitThread> {
  const path = `${gitlabProject(repo)}/issues/${number}`;
  const [issue, said] = await Promise.all([ask(path), comments ? notesOf(ask, path) : undefined]);
  return { ...gitlabThread(repo, issue), comments: said };
}

/** A merge request of GitLab, with its files. */
export async function gitlabMergeRequest(ask: AskHost, { repo, number, comments }: ThreadWanted): Promise<GitThread> {
  const path = `${gitlabProject(repo)}/merge_requests/${number}`;
  const [request, files, said] = await Promise.all([
    ask(path),
    gitlabDiff(ask, repo, number).then(splitDiff),
    comments ? notesOf(ask, path) : undefined,
  ]);
  return { ...gitlabThread(repo, request), change: changeOf(request, files), comments: said };
}

/** An issue or a merge request, alone or as an item of a list. */
export function gitlabThread(repo: string, value: JsonValue): GitThread {
  const state = textAt(value, "state");
  return {
    kind: textAt(value, "source_branch") === "" ? "Issue" : "Merge request",
    repo,
    number: numberAt(value, "iid") ?? 0,
    title: textAt(value, "title"),
    state: state === "opened" ? "open" : state,
    author: textAt(value, "author", "username"),
    created: textAt(value, "created_at"),
    updated: textAt(value, "updated_at"),
    labels: itemsAt(value, "labels").filter((label) => typeof label === "string"),
    assignees: itemsAt(value, "assignees").map((person) => textAt(person, "username")),
    url: textAt(value, "web_url"),
    body: textAt(value, "description"),
  };
}

/** The host returns the hunks of each file without the file headers. */
export async function gitlabDiff(ask: AskHost, repo: string, number: number): Promise<string> {
  const parts: string[] = [];
  for (let page = 1; page <= MOST_PAGES; page++) {
    const path = `${gitlabProject(repo)}/merge_requests/${number}/diffs?per_page=${PAGE}`;
    const files = itemsAt(await ask(`${path}${page === 1 ? "" : `&page=${page}`}`));
    parts.push(...files.map(fileDiff));
    if (files.length < PAGE) break;
  }
  return parts.join("");
}

function fileDiff(file: JsonValue): string {
  const [before, after, diff] = [textAt(file, "old_path"), textAt(file, "new_path"), textAt(file, "diff")];
  const head = [
    `diff --git a/${before} b/${after}`,
    ...(isTrueAt(file, "renamed_file") ? [`rename from ${before}`, `rename to ${after}`] : []),
    ...(diff === ""
      ? []
      : [
          `--- ${isTrueAt(file, "new_file") ? "/dev/null" : `a/${before}`}`,
          `+++ ${isTrueAt(file, "deleted_file") ? "/dev/null" : `b/${after}`}`,
        ]),
  ];
  return `${head.join("\n")}\n${diff}${diff === "" || diff.endsWith("\n") ? "" : "\n"}`;
}

const changeOf = (request: JsonValue, files: readonly FileDiff[]): GitThread["change"] => ({
  base: textAt(request, "target_branch"),
  head: textAt(request, "source_branch"),
  isDraft: isTrueAt(request, "draft"),
  fileCount: files.length,
  files,
});

/** Without the host's own notes, such as a changed label. */
async function notesOf(ask: AskHost, path: string): Promise<readonly GitComment[]> {
  const notes = itemsAt(await ask(`${path}/notes?order_by=created_at&per_page=${PAGE}&sort=asc`));
  return notes
    .filter((note) => !isTrueAt(note, "system"))
    .map((note) => {
      const place = textAt(note, "position", "new_path");
      const line = numberAt(note, "position", "new_line");
      return {
        author: textAt(note, "author", "username"),
        at: textAt(note, "created_at"),
        text: textAt(note, "body"),
        about: place === "" ? undefined : `on ${place}${line === undefined ? "" : `:${line}`}`,
      };
    });
}
