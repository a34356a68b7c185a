// Git hosts with the whole command: the requests to the host, what git does, and what the model reads.

import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, it } from "vitest";
import { has } from "../../agent/test/programs.ts";
import { hasOpenssl, makeCertificates } from "../../llm/test/transport/certificates.ts";
import { bareRepo, Plain, type Rig, rig, startHost } from "./githost-kit.ts";

const WAIT = 120_000;

let at: Rig;
beforeEach(async () => {
  at = await rig();
});
afterEach(() => at.close());

const line = ({ method, url }: { method: string; url: string }): string => `${method} ${url}`;

it.skipIf(!has("gh"))("T-GH-1 searches send the very requests of gh (needs gh)", { timeout: WAIT }, async () => {
  const socket = join(at.box.home, "gh.sock");
  const real = await startHost({ socket });
  mkdirSync(join(at.box.home, ".config/gh"), { recursive: true });
  writeFileSync(join(at.box.home, ".config/gh/config.yml"), `http_unix_socket: ${socket}\n`);
  const odd = `crash in "main loop" +50% a&b=c #1 ü (x) 'y' ~z!*`;
  const searches: [object, string, string, string?][] = [
    [{ op: "search_issues", query: odd }, "/search/issues", `${odd} repo:octo/app is:issue`],
    [{ op: "search_issues", since: "2026-01-01" }, "/search/issues", "created:>=2026-01-01 repo:octo/app is:issue"],
    [
      { op: "search_prs", query: "org:octo", until: "2026-02-01T08:00:00Z", dateField: "updated", limit: 90 },
      "/search/issues",
      "org:octo updated:<=2026-02-01T08:00:00Z is:pr",
      "50",
    ],
    [{ op: "search_code", query: "foo language:ts", limit: 3.7 }, "/search/code", "foo language:ts repo:octo/app", "3"],
    [
      { op: "search_commits", query: "fix", since: "2026-01-01", until: "2026-02-01", repo: "a/b" },
      "/search/commits",
      "fix committer-date:2026-01-01..2026-02-01 repo:a/b",
    ],
    [
      { op: "search_repos", query: "agent", since: "2026-01-01", dateField: "updated", repo: "a/b" },
      "/search/repositories",
      "agent pushed:>=2026-01-01",
    ],
  ];
  for (const [args, path, query, limit = "10"] of searches) {
    const env = { PATH: process.env["PATH"] ?? "", HOME: at.box.home, GH_TOKEN: "t", GH_PROMPT_DISABLED: "1" };
    const own = ["api", "-X", "GET", path, "-f", `q=${query}`, "-F", `per_page=${limit}`];
    at.host.answers[`GET ${path}`] = { total_count: 0, items: [] };
    const [{ code }] = await Promise.all([
      at.call("github", args),
      // The stub answers 404 to it, which is as good as any other answer.
      promisify(execFile)("gh", own, { env }).catch(() => undefined),
    ]);
    expect(code).toBe(0);
  }
  await real.close();
  expect(at.host.requests.map(line)).toEqual(real.requests.map(line));
  expect(at.host.requests[0]?.headers.authorization).toBe("token token-of-the-test");
  expect(at.host.requests[3]?.headers.accept).toBe("application/vnd.github.text-match+json");
});

it("T-GH-1 hits are listed with what tells them apart", async () => {
  at.host.answers["GET /search/issues"] = {
    total_count: 12,
    items: [
      {
        ...{ number: 3, title: "It crashes", state: "open", user: { login: "ada" }, labels: [{ name: "bug" }] },
        ...{
          repository_url: "https://api.github.com/repos/octo/app",
          html_url: "https://github.com/octo/app/issues/3",
        },
        ...{ created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-02T00:00:00Z" },
      },
    ],
  };
  const { stdout } = await at.call("github", { op: "search_issues", query: "crash" });
  expect(stdout).toContain(
    "# issues: crash repo:octo/app is:issue\n1 of 12 results\n\n- octo/app#3 It crashes\n  open, by ada, bug\n  created 2026-01-01T00:00:00Z, updated 2026-01-02T00:00:00Z\n  https://github.com/octo/app/issues/3",
  );
});

it("T-GH-1 a pull request is created with an empty body, from a fork's branch, and its labels are set after it", async () => {
  at.git(at.box.dir, "commit", "-q", "--allow-empty", "-m", "first");
  at.git(at.box.dir, "switch", "-q", "-c", "fast-path");
  at.git(at.box.dir, "remote", "add", "mine", "git@github.com:ada/app.git");
  at.git(at.box.dir, "config", "branch.fast-path.remote", "mine");
  at.host.answers["GET /repos/octo/app"] = { default_branch: "trunk" };
  at.host.answers["POST /repos/octo/app/pulls"] = { number: 9, html_url: "https://github.com/octo/app/pull/9" };
  at.host.answers["POST /repos/octo/app/issues/9/labels"] = [];
  at.host.answers["POST /repos/octo/app/pulls/9/requested_reviewers"] = new Plain(
    422,
    '{"message":"Reviews may only be requested from collaborators."}',
  );
  const args = { op: "pr_create", title: "Faster", reviewer: ["bob", "octo/core"], label: ["speed"] };
  const { stdout, code } = await at.call("github", args, { env: { EDITOR: "false", GH_EDITOR: "false" } });
  expect(stdout).toContain(
    "# Created octo/app#9: Faster\nURL: https://github.com/octo/app/pull/9\nState: open\nBranches: ada:fast-path into trunk",
  );
  expect(stdout).toContain(
    "Reviewers could not be set: github.com answered POST /repos/octo/app/pulls/9/requested_reviewers with status 422: Reviews may only be requested from collaborators.",
  );
  expect(code).toBe(0);
  expect(at.host.requests.filter(({ method }) => method === "POST").map(({ body }) => JSON.parse(body))).toEqual([
    { title: "Faster", body: "", base: "trunk", head: "ada:fast-path", draft: false },
    { labels: ["speed"] },
    { reviewers: ["bob"], team_reviewers: ["core"] },
  ]);
  at.git(at.box.dir, "branch", "trunk", "main");
  at.git(at.box.dir, "commit", "-q", "--allow-empty", "-m", "Subject", "-m", "Body line");
  await at.call("github", { op: "pr_create", fill: true, head: "fast-path" });
  at.git(at.box.dir, "commit", "-q", "--allow-empty", "-m", "Second");
  await at.call("github", { op: "pr_create", fill: true, draft: true, base: "trunk" });
  const filled = at.host.requests.filter(({ url }) => url.endsWith("/pulls")).slice(1);
  expect(filled.map(({ body }) => JSON.parse(body))).toEqual([
    { title: "Subject", body: "Body line", base: "trunk", head: "fast-path", draft: false },
    { title: "fast path", body: "- Subject\n- Second", base: "trunk", head: "ada:fast-path", draft: true },
  ]);
});

const pull = (number: number, ref: string, repo: string) => ({
  ...{ number, title: `Pull ${number}`, html_url: `https://github.com/octo/app/pull/${number}` },
  ...{ head: { ref, repo: { full_name: repo } }, maintainer_can_modify: true },
});

it("T-GH-2 two pull requests, one of a fork, are worktrees by one call; a commit is pushed back, the main worktree stays clean", {
  timeout: WAIT,
}, async () => {
  const [origin, fork] = [bareRepo(at, "octo/app"), bareRepo(at, "eve/app")];
  const { dir } = at.box;
  writeFileSync(join(dir, "file.txt"), "one\n");
  at.git(dir, "add", ".");
  at.git(dir, "commit", "-q", "-m", "first");
  at.git(dir, "push", "-q", "origin", "main", "main:topic");
  at.git(dir, "push", "-q", fork, "main:patch-1");
  // A hook that comes with the change must not run with its checkout.
  at.git(dir, "config", "core.hooksPath", ".hooks");
  at.host.answers["GET /repos/octo/app/pulls/1"] = pull(1, "topic", "octo/app");
  at.host.answers["GET /repos/octo/app/pulls/2"] = pull(2, "patch-1", "eve/app");
  at.git(dir, "config", "core.sshCommand", "touch ran; ssh");
  const untrusted = await at.call("github", { op: "pr_checkout", pr: "1" });
  expect(untrusted.stdout).toContain(
    "This folder is not trusted, and git may run a program because of its setting core.sshcommand.",
  );
  at.git(dir, "config", "--unset", "core.sshCommand");
  const { stdout } = await at.call("github", { op: "pr_checkout", pr: ["1", "https://github.com/octo/app/pull/2"] });
  const [first, second] = [...stdout.matchAll(/^Worktree: (.*)$/gm)].map(([, path = ""]) => path);
  expect(first).toMatch(new RegExp(`^${at.box.env["LATHE_HOME"]}/wt/project-[0-9a-f]{10}/pr-1$`));
  expect(stdout).toContain("Branch: pr-2, from fork-eve/patch-1");
  expect(at.git(dir, "config", "--get-regexp", "^branch\\.pr-2\\.").toLowerCase().split("\n")).toEqual([
    "branch.pr-2.remote fork-eve",
    "branch.pr-2.merge refs/heads/patch-1",
    "branch.pr-2.pushremote fork-eve",
    "branch.pr-2.latheprheadref patch-1",
    "branch.pr-2.latheprurl https://github.com/octo/app/pull/2",
    "branch.pr-2.lathepriscrossrepository true",
    "branch.pr-2.latheprmaintainercanmodify true",
  ]);
  writeFileSync(join(second!, "file.txt"), "two\n");
  at.git(second!, "commit", "-q", "-am", "second");
  const pushed = await at.call("github", { op: "pr_push", branch: "pr-2" });
  expect(pushed.stdout).toContain("Branch: pr-2 to fork-eve/patch-1\nPull request: https://github.com/octo/app/pull/2");
  expect(at.git(fork, "rev-parse", "patch-1")).toBe(at.git(second!, "rev-parse", "HEAD"));
  expect(at.git(origin, "rev-parse", "topic")).toBe(at.git(dir, "rev-parse", "main"));
  expect(at.git(dir, "status", "--porcelain")).toBe("");
  const again = await at.call("github", { op: "pr_checkout", pr: "2" });
  expect(again.stdout).toContain("# Already checked out: #2 Pull 2");
  at.git(dir, "push", "-q", "--force", fork, "main:patch-1");
  const differs = await at.call("github", { op: "pr_checkout", pr: "2" });
  expect(differs.stdout + differs.stderr).toContain(
    "Use `force` to reset the branch; commits that only it has are lost.",
  );
  expect((await at.call("github", { op: "pr_checkout", pr: "2", force: true })).code).toBe(0);
  expect(at.git(second!, "rev-parse", "HEAD")).toBe(at.git(dir, "rev-parse", "main"));
  const unknown = await at.call("github", { op: "pr_push", branch: "main" });
  expect(unknown.stdout + unknown.stderr).toContain(
    "No pull request is recorded for main. Check one out with pr_checkout first.",
  );
});

const issue = (title: string) => ({
  number: 7,
  title,
  state: "open",
  html_url: "https://github.com/octo/app/issues/7",
  body: "B",
});
const readOf = async (path: string, env: Record<string, string> = {}): Promise<string> =>
  (await at.call("read", { path }, { env })).stdout;
const config = (text: string): void => writeFileSync(join(at.box.env["LATHE_HOME"]!, "config.yml"), text);

it("IU-02 IU-03 T-READ-11 an issue is read once for each token; an old text is shown and fetched again once, a very old one is not shown", async () => {
  let asked = 0;
  at.host.answers["GET /repos/octo/app/issues/7"] = () => issue(`Version ${++asked}`);
  expect(await readOf("issue://7?comments=0")).toContain("# Issue octo/app#7: Version 1");
  expect(await readOf("issue://octo/app/7?comments=0")).toContain("Version 1");
  expect(asked).toBe(1);
  expect(await readOf("issue://7?comments=0", { GITHUB_TOKEN: "another-token-of-the-test" })).toContain("Version 2");
  expect(await readOf("issue://7?comments=0", { GITHUB_TOKEN: "" })).toContain("Version 3");
  expect(at.host.requests.map(({ headers }) => headers.authorization)).toEqual([
    "token token-of-the-test",
    "token another-token-of-the-test",
    undefined,
  ]);
  config("github:\n  cache:\n    softTtlSec: 0\n");
  expect(await readOf("issue://7?comments=0")).toContain("Version 1");
  expect(asked).toBe(4);
  config("github:\n  cache:\n    softTtlSec: 300\n");
  expect(await readOf("issue://7?comments=0")).toContain("Version 4");
  config("github:\n  cache:\n    hardTtlSec: 0\n");
  expect(await readOf("issue://7?comments=0")).toContain("Version 5");
  config("github:\n  cache:\n    enabled: false\n");
  expect(await readOf("issue://7?comments=0")).toContain("Version 6");
});

it("IU-02 G-91 lists, pull requests and the three forms of a diff, which is fetched once; lines can be named and searched", async () => {
  const diff =
    "diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -1 +1,2 @@\n-x\n+y\n+needle\ndiff --git a/b.ts b/b.ts\n--- a/b.ts\n+++ b/b.ts\n@@ -1 +1 @@\n-1\n+2\n";
  const { answers, requests } = at.host;
  answers["GET /repos/octo/app/pulls/5"] = ({ headers }: { headers: Record<string, string> }) =>
    headers["accept"] === "application/vnd.github.diff" ? new Plain(200, diff) : pull(5, "topic", "octo/app");
  answers["GET /repos/octo/app/pulls/5/files"] = [{ filename: "a.ts", additions: 2, deletions: 1 }];
  answers["GET /search/issues"] = {
    items: [{ ...issue("Listed"), updated_at: "2026-01-02T00:00:00Z", user: { login: "ada" } }],
  };
  const shown = await readOf("pr://5/diff");
  expect(shown).toContain("# 2 changed files; read one with pr://5/diff/<number>, all with pr://5/diff/all");
  expect(shown).toContain("1. a.ts +2 -1");
  expect(shown).toContain("2. b.ts +1 -1");
  expect(await readOf("pr://5/diff/2")).toContain("+++ b/b.ts");
  expect(await readOf("pr://5/diff/2")).not.toContain("needle");
  expect(await readOf("pr://5/diff/all:7-8")).toMatch(/needle\n(?:.*\n)*.*diff --git a\/b\.ts/);
  expect((await at.call("search", { pattern: "needle", paths: ["pr://octo/app/5/diff/all"] })).stdout).toContain(
    "needle",
  );
  expect(requests).toHaveLength(1);
  expect(await readOf("pr://5/diff/3")).toContain("pr://5/diff/3: the diff has 2 files.");
  expect(await readOf("pr://5?comments=0")).toContain("## Files (1)\n");
  expect(await readOf("issue://?state=closed&limit=5&author=ada&label=good%20first")).toContain(
    "#7 Listed (open, ada; updated 2026-01-02T00:00:00Z)",
  );
  expect(await readOf("pr://other/repo?state=merged")).toContain("# other/repo: merged pull requests");
  expect(requests.slice(-2).map(({ url }) => decodeURIComponent(url.replaceAll("+", " ")))).toEqual([
    '/search/issues?order=desc&per_page=5&q=repo:octo/app is:issue state:closed author:ada label:"good first"&sort=created',
    "/search/issues?order=desc&per_page=30&q=repo:other/repo is:pr is:merged&sort=created",
  ]);
  at.git(at.box.dir, "remote", "set-url", "origin", "git@gitlab.com:group/sub/app.git");
  answers["GET /projects/group%2Fsub%2Fapp/merge_requests/5"] = {
    iid: 5,
    title: "On GitLab",
    state: "opened",
    source_branch: "b",
  };
  answers["GET /projects/group%2Fsub%2Fapp/merge_requests/5/diffs"] = [
    { old_path: "c", new_path: "c", diff: "@@ -1 +1 @@\n-1\n+2\n" },
  ];
  const lab = { CI_API_V4_URL: at.host.url, GITLAB_TOKEN: "lab-token-of-the-test" };
  expect((await at.call("read", { path: "pr://5?comments=0" }, { env: lab })).stdout).toContain(
    "# Merge request group/sub/app#5: On GitLab",
  );
  expect(requests.at(-1)?.headers["private-token"]).toBe("lab-token-of-the-test");
  expect(requests.at(-1)?.headers.authorization).toBeUndefined();
});

it("T-GH-1 T-SUB-1 bad input, a missing token and a host's refusal are one line each", async () => {
  const { answers } = at.host;
  const said = async (args: object, env: Record<string, string> = {}): Promise<string> => {
    const { stdout, stderr, code } = await at.call("github", args, { env });
    expect(code).not.toBe(0);
    return (stdout + stderr).trim();
  };
  const without = { GITHUB_TOKEN: "" };
  answers["GET /repos/octo/app"] = new Plain(401, '{"message":"Bad credentials","documentation_url":"https://docs"}');
  answers["GET /repos/octo/broken"] = new Plain(502, "<html>gateway</html>");
  answers["GET /search/issues"] = new Plain(
    422,
    '{"message":"Validation Failed","errors":[{"message":"The search is too long.","code":"invalid"}]}',
  );
  answers["GET /repos/octo/app/issues/1"] = new Plain(404, '{"message":"Not Found"}');
  for (const [args, line] of [
    [
      { op: "repo_view" },
      "github.com answered GET /repos/octo/app with status 401: Bad credentials. The token was refused. Set GITHUB_TOKEN, or run `gh auth login`.",
    ],
    [{ op: "repo_view", repo: "octo/broken" }, "github.com answered GET /repos/octo/broken with status 502."],
    [
      { op: "repo_view", repo: "nonsense" },
      '"nonsense" is not a repository on a known git host (github.com, gitlab.com). Write it as owner/name.',
    ],
    [
      { op: "search_prs", query: "x" },
      "github.com answered GET /search/issues with status 422: Validation Failed; The search is too long.",
    ],
    [{ op: "search_code" }, "search_code needs `query`."],
    [{ op: "search_code", query: "x", since: "3d" }, "search_code takes no dates: leave out `since` and `until`."],
    [
      { op: "search_issues", since: "soon" },
      '`since` is not a date: "soon". Use 12h, 3d, 2w, 2mo, 1y, YYYY-MM-DD, or a date with time such as 2026-01-31T08:00:00Z.',
    ],
    [{ op: "search_issues", limit: 0 }, "`limit` must be at least 1."],
    [{ op: "pr_create" }, "pr_create needs `title`, or `fill`."],
    [
      { op: "pr_create", fill: true, body: "" },
      "`fill` takes title and body from the commits: leave out `title` and `body`.",
    ],
    [{ op: "run_watch", run: "latest" }, '"latest" is not a run: give its number, or the address of its page.'],
    [
      { op: "run_watch", run: "https://github.com/a/b/actions/runs/1", repo: "c/d" },
      "https://github.com/a/b/actions/runs/1 does not belong to the repository c/d. Leave out `repo`.",
    ],
  ] as [object, string][])
    expect(await said(args)).toBe(line);
  expect(await said({ op: "repo_view" }, without)).toContain("github");
  expect(await readOf("issue://1?comments=0", without)).toContain(
    "github.com answered GET /repos/octo/app/issues/1 with status 404: Not Found. The request had no token. Set GITHUB_TOKEN, or run `gh auth login`.",
  );
  expect(await readOf("pr://x")).toContain("pr://x is not a pull request. Use pr://12,");
  at.git(at.box.dir, "remote", "set-url", "origin", "git@git.example.org:octo/app.git");
  expect(await said({ op: "repo_view" })).toBe(
    "No remote of this folder is on a known git host (github.com, gitlab.com). Name the repository as owner/name, or set GH_HOST or GITLAB_HOST to the server of the remote.",
  );
  expect(at.host.requests.some(({ headers }) => headers.host?.includes("example.org"))).toBe(false);
});

it("T-GH-1 T-GH-2 creating, pushing and checking out are asked about in every mode but full; reading the host of the checkout is not", async () => {
  at.git(at.box.dir, "commit", "-q", "--allow-empty", "-m", "first");
  at.git(at.box.dir, "config", "branch.main.lathePrHeadRef", "topic");
  at.git(at.box.dir, "config", "branch.main.pushRemote", "origin");
  at.git(at.box.dir, "config", "branch.main.lathePrUrl", "https://github.com/octo/app/pull/4");
  at.host.answers["GET /repos/octo/app/issues/7"] = issue("Readable");
  at.host.answers["GET /repos/octo/app"] = { full_name: "octo/app" };
  for (const mode of ["ask", "auto-edit"]) {
    const said = async (args: object): Promise<string> => (await at.call("github", args, { mode })).stdout;
    expect(await said({ op: "pr_create", title: "T" })).toContain(
      "https://github.com/octo/app/pulls is written by its provider",
    );
    expect(await said({ op: "pr_push" })).toContain("https://github.com/octo/app/pull/4 is written by its provider");
    expect(await said({ op: "pr_checkout", pr: "1" })).toContain("/pr-1 is outside the working folders.");
  }
  for (const mode of ["plan", "read-only"])
    expect((await at.call("github", { op: "pr_create", title: "T" }, { mode })).code).not.toBe(0);
  expect(at.host.requests).toEqual([]);
  for (const mode of ["auto-edit", "plan"]) {
    expect((await at.call("read", { path: "issue://7?comments=0" }, { mode })).stdout).toContain("Readable");
    expect((await at.call("github", { op: "repo_view" }, { mode })).stdout).toContain("# octo/app");
  }
  const denied = await at.box.run(
    [
      "tool",
      "read",
      JSON.stringify({ path: "issue://7" }),
      "--permission-mode",
      "auto-edit",
      "--deny",
      "network(github.com)",
    ],
    { env: at.env },
  );
  expect(denied.stdout).toContain("network(github.com)");
});

it.skipIf(!hasOpenssl)(
  "T-GH-1 a server of GitHub Enterprise that GH_HOST names gets its own token and no other (needs openssl)",
  async () => {
    const certificates = makeCertificates({ server: "DNS:localhost" });
    const server = await startHost({
      tls: { key: certificates.pem("server.key"), cert: certificates.pem("server.pem") },
    });
    const name = `localhost:${new URL(server.url).port}`;
    server.answers["GET /api/v3/repos/team/tool"] = { full_name: "team/tool", default_branch: "main" };
    at.git(at.box.dir, "remote", "set-url", "origin", `https://${name}/team/tool.git`);
    const env = { GH_HOST: name, GITHUB_ENTERPRISE_TOKEN: "enterprise-token-of-the-test" };
    expect((await at.call("github", { op: "repo_view" }, { env })).stdout).toContain(
      "# team/tool\n\nDefault branch: main",
    );
    expect(server.requests[0]?.headers.authorization).toBe("token enterprise-token-of-the-test");
    await at.call("github", { op: "repo_view" }, { env: { GH_HOST: name } });
    expect(server.requests[1]?.headers.authorization).toBeUndefined();
    expect(at.host.requests).toEqual([]);
    await server.close();
    certificates.remove();
  },
);

it("T-GH-1 the .env of a trusted project does not say which servers are git hosts: the user's tokens would go there", {
  timeout: WAIT,
}, async () => {
  const { dir } = at.box;
  mkdirSync(join(dir, "gh"));
  writeFileSync(join(dir, "gh/hosts.yml"), "evil.example:\n  oauth_token: bait\n");
  writeFileSync(join(dir, ".env"), `GH_CONFIG_DIR=${dir}/gh\nXDG_CONFIG_HOME=${dir}\nGH_HOST=evil.example\n`);
  expect(await at.box.run(["trust"])).toMatchObject({ code: 0 });
  const env = { GITHUB_ENTERPRISE_TOKEN: "token-of-the-company" };
  const { stdout } = await at.call("github", { op: "repo_view", repo: "evil.example/octo/app" }, { env });
  expect(stdout).toContain('"evil.example/octo/app" is not a repository on a known git host (github.com, gitlab.com).');
});
