import { expect, test } from "vitest";
import type { CallScope } from "../../../contract/tool.ts";
import { type GithubReach, githubTool } from "./index.ts";
import type { GithubArgs } from "./params.ts";

const scopeWith = (reach: GithubReach): CallScope =>
  ({
    services: { gitHosts: { reach: async () => reach, run: async () => ({ content: [] }) } },
  }) as unknown as CallScope;

test("a call declares the host, what it writes there and the folders that it makes; only a chosen host is called chosen", async () => {
  const access = (args: GithubArgs, reach: GithubReach) => githubTool.access?.(args, scopeWith(reach));
  const host = "github.com";
  expect(await access({ op: "search_issues" }, { host, isChosen: true })).toEqual([
    { kind: "network", host, chosen: true },
  ]);
  expect(await access({ op: "repo_view" }, { host, isChosen: false })).toEqual([{ kind: "network", host }]);
  expect(await access({ op: "pr_push" }, { host, isChosen: true, writes: "https://github.com/o/r/pull/1" })).toEqual([
    { kind: "network", host, chosen: true },
    { kind: "address", url: "https://github.com/o/r/pull/1", write: true },
  ]);
  expect(await access({ op: "pr_checkout" }, { host, isChosen: true, folders: ["/wt/pr-1"] })).toContainEqual({
    kind: "write",
    path: "/wt/pr-1",
  });
});

test("the question shows what would be created, pushed and checked out", async () => {
  const lines = async (args: GithubArgs, reach: Partial<GithubReach>): Promise<string[] | undefined> =>
    (await githubTool.preview?.(args, scopeWith({ host: "h", isChosen: true, ...reach })))?.lines.map(
      ({ text }) => text,
    );
  const writes = "https://github.com/o/r/pulls";
  expect(await lines({ op: "pr_create", title: "Faster", body: "Why\nHow", draft: true }, { writes })).toEqual([
    `creates a draft pull request: ${writes}`,
    "Faster",
    "│ Why",
    "│ How",
  ]);
  expect(await lines({ op: "pr_push", forceWithLease: true }, { writes })).toEqual([
    `replaces the commits of ${writes}`,
  ]);
  expect(await lines({ op: "pr_checkout", pr: ["1", "2"] }, { folders: ["/wt/pr-1", "/wt/pr-2"] })).toEqual([
    "checks out pull requests here, and lets the agent write there:",
    "/wt/pr-1",
    "/wt/pr-2",
  ]);
});

test("cards say what is done and what came of it", () => {
  const result = (details: Record<string, string>, text = "") => ({ text, isError: false, details, changes: [] });
  expect(githubTool.card?.({ op: "search_prs", query: "fix" }, result({ outcome: "3 results" }))).toMatchObject({
    verb: "Searched",
    subject: "prs for fix",
    outcome: "3 results",
  });
  expect(githubTool.card?.({ op: "run_watch" })).toMatchObject({
    verb: "Watching",
    subject: "CI of this branch",
    canDetach: true,
  });
  const failed = result({ outcome: "failure", conclusion: "failure" }, "log");
  expect(githubTool.card?.({ op: "run_watch", branch: "x" }, failed)).toMatchObject({
    subject: "CI of x",
    failed: true,
  });
});
