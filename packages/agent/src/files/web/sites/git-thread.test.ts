import type { JsonValue } from "@lathe/llm";
import { expect, test } from "vitest";
import { splitDiff, threadText } from "./git-thread.ts";
import { githubIssue, githubPullRequest } from "./github-threads.ts";
import { gitlabMergeRequest } from "./gitlab-threads.ts";

/** Answers from a table, and records the requests. */
function host(answers: Record<string, JsonValue>) {
  const asked: string[] = [];
  const ask = async (path: string): Promise<JsonValue> => {
    asked.push(path);
    return answers[path] ?? [];
  };
  return { ask, asked };
}

test("an issue with more than a hundred comments is read whole, and without comments in one request", async () => {
  const issue = {
    ...{
      number: 7,
      title: "It fails",
      state: "open",
      html_url: "https://github.com/o/r/issues/7",
      body: "Steps:\r\n1. run",
    },
    ...{ user: { login: "ada" }, created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-02T00:00:00Z" },
    ...{ labels: [{ name: "bug" }], assignees: [{ login: "bob" }] },
  };
  const comment = (n: number) => ({ user: { login: "eve" }, created_at: "2026-01-02T00:00:00Z", body: `comment ${n}` });
  const { ask, asked } = host({
    "/repos/o/r/issues/7": issue,
    "/repos/o/r/issues/7/comments?per_page=100": Array.from({ length: 100 }, (_, n) => comment(n)),
    "/repos/o/r/issues/7/comments?per_page=100&page=2": [comment(100)],
  });
  const text = threadText(await githubIssue(ask, { repo: "o/r", number: 7, comments: true }));
  expect(text).toContain(
    "# Issue o/r#7: It fails\n\nState: open\nAuthor: ada\nCreated: 2026-01-01T00:00:00Z\nUpdated: 2026-01-02T00:00:00Z\nLabels: bug\nAssignees: bob\nURL: https://github.com/o/r/issues/7\n\nSteps:\n1. run\n\n## Comments (101)\n\n### eve, 2026-01-02T00:00:00Z\ncomment 0\n",
  );
  expect(text.endsWith("comment 100")).toBe(true);
  asked.length = 0;
  expect(threadText(await githubIssue(ask, { repo: "o/r", number: 7, comments: false }))).not.toContain("Comments");
  expect(asked).toEqual(["/repos/o/r/issues/7"]);
});

test("a pull request shows fifty files, reviews and comments on lines in the order of their time", async () => {
  const file = (n: number) => ({ filename: `src/${n}.ts`, additions: n, deletions: 1 });
  const { ask } = host({
    "/repos/o/r/pulls/5": {
      ...{ number: 5, title: "Faster", state: "closed", merged_at: "2026-02-01T00:00:00Z", user: { login: "ada" } },
      ...{ head: { label: "ada:fast" }, base: { label: "o:main" }, changed_files: 60, draft: true, body: null },
    },
    "/repos/o/r/pulls/5/files?per_page=50": Array.from({ length: 50 }, (_, n) => file(n)),
    "/repos/o/r/issues/5/comments?per_page=100": [{ user: { login: "c" }, created_at: "2026-01-03", body: "third" }],
    "/repos/o/r/pulls/5/reviews?per_page=100": [
      { user: { login: "a" }, submitted_at: "2026-01-01", state: "CHANGES_REQUESTED", body: "first" },
      { user: { login: "a" }, submitted_at: "2026-01-01", state: "COMMENTED", body: "" },
    ],
    "/repos/o/r/pulls/5/comments?per_page=100": [
      { user: { login: "b" }, created_at: "2026-01-02", path: "src/1.ts", line: 12, body: "second" },
    ],
  });
  const text = threadText(await githubPullRequest(ask, { repo: "o/r", number: 5, comments: true }));
  expect(text).toContain("State: merged, draft\nAuthor: ada\nBranches: ada:fast into o:main\n");
  expect(text).toContain("(no description)\n\n## Files (60)\n- src/0.ts +0 -1\n");
  expect(text).toContain("- src/49.ts +49 -1\n- 10 more\n");
  expect(text.slice(text.indexOf("## Comments"))).toBe(
    "## Comments (3)\n\n### a, 2026-01-01 (review: changes requested)\nfirst\n\n### b, 2026-01-02 (on src/1.ts:12)\nsecond\n\n### c, 2026-01-03\nthird",
  );
});

test("a merge request has a diff that names its files, and none of the host's own notes", async () => {
  const { ask } = host({
    "/projects/g%2Fs%2Fp/merge_requests/3": {
      iid: 3,
      title: "T",
      state: "opened",
      source_branch: "b",
      target_branch: "main",
    },
    "/projects/g%2Fs%2Fp/merge_requests/3/diffs?per_page=100": [
      { old_path: "a.txt", new_path: "a.txt", diff: "@@ -1 +1,2 @@\n-a\n+b\n+--- c\n" },
      { old_path: "x", new_path: "y", renamed_file: true, diff: "" },
    ],
    "/projects/g%2Fs%2Fp/merge_requests/3/notes?order_by=created_at&per_page=100&sort=asc": [
      { author: { username: "bot" }, created_at: "1", body: "added label", system: true },
      { author: { username: "ada" }, created_at: "2", body: "Why?", position: { new_path: "a.txt", new_line: 2 } },
    ],
  });
  const text = threadText(await gitlabMergeRequest(ask, { repo: "g/s/p", number: 3, comments: true }));
  expect(text).toContain("# Merge request g/s/p#3: T\n\nState: open\nBranches: b into main\n");
  expect(text).toContain("## Files (2)\n- a.txt +2 -1\n- y +0 -0\n");
  expect(text).toContain("## Comments (1)\n\n### ada, 2 (on a.txt:2)\nWhy?");
});

test("a deleted file and one without hunks are parts of a diff by their own names", () => {
  const deleted =
    "diff --git a/gone.txt b/gone.txt\ndeleted file mode 100644\n--- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";
  const mode = "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n";
  expect(splitDiff(deleted + mode)).toEqual([
    { path: "gone.txt", added: 0, removed: 1, text: deleted },
    { path: "run.sh", added: 0, removed: 0, text: mode },
  ]);
});
