// Pages of GitHub and GitLab.

import { type SiteCase, typed } from "./site-case.ts";

const HUB = "https://api.github.com/repos/octo/tool";
const LAB = "https://gitlab.com/api/v4/projects/group%2Fsub%2Ftool";
const COMMENT = { user: { login: "hubot" }, created_at: "2026-01-03T00:00:00Z", body: "Same here." };

export const CODE_HOSTS: readonly SiteCase[] = [
  {
    site: "github",
    url: "https://github.com/octo/tool",
    answers: {
      [HUB]: {
        full_name: "octo/tool",
        description: "A tool.",
        language: "TypeScript",
        license: { spdx_id: "MIT" },
        stargazers_count: 42,
        forks_count: 7,
        open_issues_count: 3,
        default_branch: "main",
        homepage: "https://tool.example",
        topics: ["cli", "agent"],
        pushed_at: "2026-01-02T03:04:05Z",
      },
      [`${HUB}/readme`]: typed("application/vnd.github.raw+json; charset=utf-8", "# Tool\n\nRun `tool`.\n"),
    },
  },
  {
    site: "github file",
    url: "https://github.com/octo/tool/blob/main/src/a%20b.ts#L3",
    answers: {
      "https://raw.githubusercontent.com/octo/tool/main/src/a%20b.ts": typed(
        "text/plain; charset=utf-8",
        "export const a = 1;\n",
      ),
    },
  },
  {
    site: "github folder",
    url: "https://github.com/octo/tool/tree/main/src",
    answers: {
      [`${HUB}/contents/src?ref=main`]: [
        { name: "lib", type: "dir", size: 0, html_url: "https://github.com/octo/tool/tree/main/src/lib" },
        { name: "a.ts", type: "file", size: 20, html_url: "https://github.com/octo/tool/blob/main/src/a.ts" },
      ],
    },
  },
  {
    site: "github issue",
    url: "https://github.com/octo/tool/issues/7",
    answers: {
      [`${HUB}/issues/7`]: {
        number: 7,
        title: "It breaks",
        state: "open",
        user: { login: "octocat" },
        created_at: "2026-01-01T00:00:00Z",
        updated_at: "2026-01-03T00:00:00Z",
        labels: [{ name: "bug" }],
        assignees: [],
        html_url: "https://github.com/octo/tool/issues/7",
        body: "See https://logs.example/7",
      },
      [`${HUB}/issues/7/comments?per_page=100`]: [COMMENT],
    },
  },
  {
    site: "github pull request",
    url: "https://github.com/octo/tool/pull/8",
    answers: {
      [`${HUB}/pulls/8`]: {
        number: 8,
        title: "Fix it",
        state: "closed",
        merged_at: "2026-01-04T00:00:00Z",
        user: { login: "octocat" },
        created_at: "2026-01-02T00:00:00Z",
        updated_at: "2026-01-04T00:00:00Z",
        labels: [],
        assignees: [],
        html_url: "https://github.com/octo/tool/pull/8",
        body: "Closes #7",
        base: { label: "octo:main" },
        head: { label: "octocat:fix" },
        changed_files: 1,
      },
      [`${HUB}/pulls/8/files?per_page=50`]: [{ filename: "src/a.ts", additions: 2, deletions: 1 }],
      [`${HUB}/issues/8/comments?per_page=100`]: [COMMENT],
      [`${HUB}/pulls/8/reviews?per_page=100`]: [
        { user: { login: "rev" }, state: "APPROVED", body: "", submitted_at: "2026-01-03T12:00:00Z" },
      ],
      [`${HUB}/pulls/8/comments?per_page=100`]: [],
    },
  },
  {
    site: "github diff",
    url: "https://github.com/octo/tool/pull/8/files",
    answers: {
      [`${HUB}/pulls/8`]: typed(
        "application/vnd.github.diff; charset=utf-8",
        "diff --git a/a b/a\n@@ -1 +1 @@\n-1\n+2\n",
      ),
    },
  },
  {
    site: "github commit",
    url: "https://github.com/octo/tool/commit/abc1234",
    answers: {
      [`${HUB}/commits/abc1234`]: {
        sha: "abc1234def",
        commit: { author: { name: "Octo Cat", date: "2026-01-02T00:00:00Z" }, message: "Fix a\n\nBecause." },
        files: [{ filename: "src/a.ts", additions: 1, deletions: 1, patch: "@@ -1 +1 @@\n-1\n+2" }],
      },
    },
  },
  {
    site: "github release",
    url: "https://github.com/octo/tool/releases/tag/v1.2.0",
    answers: {
      [`${HUB}/releases/tags/v1.2.0`]: {
        name: "Spring",
        tag_name: "v1.2.0",
        author: { login: "octocat" },
        published_at: "2026-03-01T00:00:00Z",
        body: "- faster",
        assets: [{ browser_download_url: "https://github.com/octo/tool/releases/download/v1.2.0/tool.tgz" }],
      },
    },
  },
  {
    site: "github gist",
    url: "https://gist.github.com/octocat/aa5a315d61ae9438b18d",
    answers: {
      "https://api.github.com/gists/aa5a315d61ae9438b18d": {
        id: "aa5a315d61ae9438b18d",
        owner: { login: "octocat" },
        description: "Two lines",
        files: { "a.sh": { filename: "a.sh", content: "echo 1\necho 2\n" } },
      },
    },
  },
  {
    site: "gitlab",
    url: "https://gitlab.com/group/sub/tool",
    answers: {
      [`${LAB}?license=true`]: {
        path_with_namespace: "group/sub/tool",
        description: "A tool.",
        license: { name: "MIT License" },
        star_count: 4,
        forks_count: 1,
        open_issues_count: 2,
        default_branch: "main",
        topics: ["ci"],
        last_activity_at: "2026-01-02T00:00:00Z",
        readme_url: "https://gitlab.com/group/sub/tool/-/blob/main/docs/README.md",
      },
      [`${LAB}/repository/files/docs%2FREADME.md/raw?ref=main`]: typed("text/plain", "# Tool of a group\n"),
    },
  },
  {
    site: "gitlab merge request",
    url: "https://gitlab.com/group/sub/tool/-/merge_requests/5",
    answers: {
      [`${LAB}/merge_requests/5`]: {
        iid: 5,
        title: "Draft: Fix",
        state: "opened",
        draft: true,
        source_branch: "fix",
        target_branch: "main",
        author: { username: "ana" },
        created_at: "2026-01-01T00:00:00Z",
        updated_at: "2026-01-02T00:00:00Z",
        labels: ["bug"],
        assignees: [],
        web_url: "https://gitlab.com/group/sub/tool/-/merge_requests/5",
        description: "It fixes.",
      },
      [`${LAB}/merge_requests/5/diffs?per_page=100`]: [
        { old_path: "a.c", new_path: "a.c", diff: "@@ -1 +1 @@\n-1\n+2\n" },
      ],
      [`${LAB}/merge_requests/5/notes?order_by=created_at&per_page=100&sort=asc`]: [
        { author: { username: "bo" }, created_at: "2026-01-02T00:00:00Z", body: "Good.", system: false },
      ],
    },
  },
  {
    site: "gitlab commit",
    url: "https://gitlab.com/group/sub/tool/-/commit/abc1234",
    answers: {
      [`${LAB}/repository/commits/abc1234`]: {
        id: "abc1234def",
        author_name: "Ana",
        authored_date: "2026-01-02T00:00:00Z",
        message: "Fix",
      },
      [`${LAB}/repository/commits/abc1234/diff?per_page=100`]: [{ new_path: "a.c", diff: "@@ -1 +1 @@\n-1\n+2\n" }],
    },
  },
];
