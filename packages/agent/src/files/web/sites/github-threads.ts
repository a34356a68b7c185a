// Issues and pull requests of GitHub and GitHub Enterprise servers, over their REST API.

import type { JsonValue } from "@lathe/llm";
import { isTrueAt, itemsAt, numberAt, textAt, valueAt } from "./answer-fields.ts";
import type { GitComment, GitThread, ProposedChange } from "./git-thread.ts";
import { MOST_FILES } from "./git-thread.ts";

/** Requests a path of the host's API; throws if the response is not a success. */
export type AskHost = (path: string) => Promise<JsonValue>;

/** The thread, and whether to include its comments. */
export interface ThreadWanted {
  readonly repo: string;
  readonly number: number;
  readonly comments: boolean;
}

const PAGE = 100;
const MOST_PAGES = 10;

/** An issue of GitHub. */
export async function githubIssue(ask: AskHost, { repo, number, comments }: ThreadWanted): Promise<GitThread> {
  const path = `/repos/${repo}/issues/${number}`;
  const [issue, said] = await Promise.all([ask(path), comments ? allPages(ask, `${path}/comments`) : undefined]);
  return { ...githubThread(repo, issue), comments: said?.map(commentOf) };
}

/** A pull request of GitHub, with its files. */
export async function githubPullRequest(ask: AskHost, { repo, number, comments }: ThreadWanted): Promise<GitThread> {
  const path = `/repos/${repo}/pulls/${number}`;
  const none: readonly JsonValue[] = [];
  const [pull, files, said, reviews, onLines] = await Promise.all([
    ask(path),
    ask(`${path}/files?per_page=${MOST_FILES}`),
    comments ? allPages(ask, `/repos/${repo}/issues/${number}/comments`) : none,
    comments ? allPages(ask, `${path}/reviews`) : none,
    comments ? allPages(ask, `${path}/comments`) : none,
  ]);
  const spoken = [
    ...said.map(commentOf),
    ...reviews
      .filter((review) => textAt(review, "state") !== "COMMENTED" || textAt(review, "body") !== "")
      .map(reviewOf),
    ...onLines.map(lineCommentOf),
  ].sort((a, b) => a.at.localeCompare(b.at));
  return {
    ...githubThread(repo, pull),
    change: changeOf(pull, itemsAt(files)),
    comments: comments ? spoken : undefined,
  };
}

/** An issue or a pull request, alone or as an item of a list. */
export function githubThread(repo: string, value: JsonValue): GitThread {
  const merged = textAt(value, "merged_at") || textAt(value, "pull_request", "merged_at");
  const isPull = valueAt(value, "pull_request") !== undefined || valueAt(value, "head") !== undefined;
  return {
    kind: isPull ? "Pull request" : "Issue",
    repo,
    number: numberAt(value, "number") ?? 0,
    title: textAt(value, "title"),
    state: merged === "" ? textAt(value, "state") : "merged",
    author: textAt(value, "user", "login"),
    created: textAt(value, "created_at"),
    updated: textAt(value, "updated_at"),
    labels: itemsAt(value, "labels").map((label) => textAt(label, "name")),
    assignees: itemsAt(value, "assignees").map((person) => textAt(person, "login")),
    url: textAt(value, "html_url"),
    body: textAt(value, "body"),
  };
}

function changeOf(pull: JsonValue, files: readonly JsonValue[]): ProposedChange {
  return {
    base: textAt(pull, "base", "label") || textAt(pull, "base", "ref"),
    head: textAt(pull, "head", "label") || textAt(pull, "head", "ref"),
    isDraft: isTrueAt(pull, "draft"),
    fileCount: numberAt(pull, "changed_files") ?? files.length,
    files: files.map((file) => ({
      path: textAt(file, "filename"),
      added: numberAt(file, "additions") ?? 0,
      removed: numberAt(file, "deletions") ?? 0,
    })),
  };
}

const commentOf = (value: JsonValue): GitComment => ({
  author: textAt(value, "user", "login"),
  at: textAt(value, "created_at"),
  text: textAt(value, "body"),
});

const reviewOf = (value: JsonValue): GitComment => ({
  ...commentOf(value),
  at: textAt(value, "submitted_at"),
  about: `review: ${textAt(value, "state").toLowerCase().replaceAll("_", " ")}`,
});

function lineCommentOf(value: JsonValue): GitComment {
  const line = numberAt(value, "line") ?? numberAt(value, "original_line");
  return { ...commentOf(value), about: `on ${textAt(value, "path")}${line === undefined ? "" : `:${line}`}` };
}

async function allPages(ask: AskHost, path: string): Promise<readonly JsonValue[]> {
  const items: JsonValue[] = [];
  for (let page = 1; page <= MOST_PAGES; page++) {
    const more = itemsAt(await ask(`${path}?per_page=${PAGE}${page === 1 ? "" : `&page=${page}`}`));
    items.push(...more);
    if (more.length < PAGE) break;
  }
  return items;
}
