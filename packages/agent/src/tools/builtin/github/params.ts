// The parameters of `github`. One schema for all operations; which of them an operation needs is checked when it runs.

import { choice, flag, listOf, number, object, oneOf, optional, type StaticFields, text } from "@lathe/llm/schema";

const OPS = [
  "repo_view",
  "pr_create",
  "pr_checkout",
  "pr_push",
  "search_issues",
  "search_prs",
  "search_code",
  "search_commits",
  "search_repos",
  "run_watch",
] as const;

const params = {
  op: choice(OPS, "What to do"),
  repo: optional(text("`owner/name`; the repository of the working folder when absent")),
  branch: optional(text("repo_view, pr_push, run_watch: the branch; the current one when absent")),
  pr: optional(
    oneOf(
      text("pr_checkout: number, address or branch of a pull request; that of the current branch when absent"),
      listOf(text(), "Several at once"),
    ),
  ),
  force: optional(flag("pr_checkout: reset a local branch `pr-<n>` that has other commits")),
  forceWithLease: optional(flag("pr_push: replace what the branch held when it was last fetched")),
  title: optional(text("pr_create: needed unless `fill`")),
  body: optional(text("pr_create: the description")),
  base: optional(text("pr_create: the branch to merge into; the default branch when absent")),
  head: optional(text("pr_create: the pushed branch with the commits; the current one when absent")),
  draft: optional(flag("pr_create: as a draft")),
  fill: optional(flag("pr_create: title and body from the commits")),
  reviewer: optional(listOf(text(), "pr_create: users, or teams as `org/team`")),
  assignee: optional(listOf(text(), "pr_create: users")),
  label: optional(listOf(text(), "pr_create: labels")),
  query: optional(text("search_*: words and qualifiers of the host's search")),
  since: optional(text("search_*: not before: 12h, 3d, 2w, 2mo, 1y, a date or ISO time; not for code")),
  until: optional(text("search_*: not after; same forms")),
  dateField: optional(choice(["created", "updated"], "search_*: which date; created when absent")),
  limit: optional(number("search_*: results at most, 10 when absent, up to 50")),
  run: optional(text("run_watch: id or address of a run; all runs of the branch's last commit when absent")),
  tail: optional(number("run_watch: last lines shown of each failed job, 15 when absent, up to 200")),
  background: optional(flag("run_watch: go on as a job, and tell when it has ended")),
};

/** The arguments of a call. */
export type GithubArgs = StaticFields<typeof params>;

export const schema = object(params);
