// `lathe commit` when git is not in its usual state: it prints one clear line and changes nothing, or works as usual.

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type CommitScene, commitScene, lines } from "./commit-kit.ts";

let scene: CommitScene;
beforeEach(async () => {
  scene = await commitScene();
});
afterEach(() => scene.close());

const attempt = (...args: string[]): void => {
  try {
    scene.git(...args);
  } catch {
    // git reports conflicts by its exit code
  }
};

function twoBranches(): void {
  scene.write("a.txt", "1\n");
  scene.git("add", "-A");
  scene.git("commit", "-qm", "one");
  scene.git("switch", "-qc", "other");
  scene.write("a.txt", "other\n");
  scene.git("commit", "-qam", "other");
  scene.git("switch", "-q", "main");
  scene.write("a.txt", "main\n");
  scene.git("commit", "-qam", "main");
}

/** One line on stderr, no request, and nothing changed. */
async function refused(line: RegExp, code = 1, args: readonly string[] = ["--yes", "--all"]): Promise<void> {
  const before = scene.state();
  const done = await scene.commit(args);
  expect(done.stderr).toMatch(line);
  expect(done.stderr.trim().split("\n")).toHaveLength(1);
  expect([done.code, scene.state(), scene.server.requests.length]).toEqual([code, before, 0]);
}

it.each([
  [
    "merge",
    ["merge", "other"],
    /^lathe: A merge is under way: git commit finishes it .* Files with conflicts: a\.txt\.$/m,
  ],
  ["rebase", ["rebase", "other"], /^lathe: A rebase is under way: git rebase --continue resumes it/m],
  ["cherry-pick", ["cherry-pick", "other"], /^lathe: A cherry-pick is under way: /m],
  ["revert", ["revert", "--no-edit", "HEAD~1"], /^lathe: A revert is under way: /m],
])("a %s under way is refused in one line", async (_name, start, line) => {
  twoBranches();
  attempt(...start);
  await refused(line);
});

it("a merge whose conflicts are resolved is left to git", async () => {
  twoBranches();
  attempt("merge", "other");
  scene.write("a.txt", "both\n");
  scene.git("add", "a.txt");
  await refused(/^lathe: A merge is under way: git commit finishes it with its own message/m);
});

it("no identity, a lock, a folder without a repository and a bare one are refused in one line", async () => {
  scene.write("a.txt", "1\n");
  scene.git("add", "-A");
  writeFileSync(join(scene.box.home, ".gitconfig"), "[user]\n\tuseConfigOnly = true\n");
  await refused(/^lathe: git does not know your name and address\. Set them: git config --global user\.name/m);
  writeFileSync(join(scene.box.home, ".gitconfig"), "[user]\n\tname = A\n\temail = a@example.com\n");
  writeFileSync(join(scene.box.dir, ".git/index.lock"), "");
  const locked = await scene.commit(["--yes"]);
  expect([locked.code, locked.stderr]).toEqual([
    1,
    expect.stringMatching(/^lathe: Another git command .*index\.lock exists.*\n$/),
  ]);
  const outside = join(scene.box.home, "outside");
  mkdirSync(outside);
  const none = await scene.commit(["--yes"], { cwd: outside });
  expect([none.code, none.stderr]).toEqual([2, expect.stringMatching(/is not in a git repository\. .*git init\n$/)]);
  execFileSync("git", ["init", "-q", "--bare", outside]);
  const bare = await scene.commit(["--yes"], { cwd: outside });
  expect([bare.code, bare.stderr]).toEqual([2, expect.stringMatching(/not in the work tree of a git repository/)]);
});

it("nothing to commit, and nothing staged, are said; the code is 1", async () => {
  await refused(/^lathe: There is nothing to commit\.$/m);
  scene.write("a.txt", "1\n");
  await refused(
    /^lathe: Nothing is staged\. Stage what to commit with git add, or take 1 changed file with --all\.$/m,
    1,
    ["--yes"],
  );
  expect(JSON.parse((await scene.commit(["--json"])).stdout)).toMatchObject({ status: "nothing", commits: [] });
});

it("a signature that cannot be made is git's line, and nothing has changed", async () => {
  scene.write("a.txt", "1\n");
  scene.git("add", "-A");
  scene.git("config", "commit.gpgSign", "true");
  scene.git("config", "gpg.program", "false");
  const before = scene.state();
  const done = await scene.commit(["--yes"]);
  expect([done.code, scene.state()]).toEqual([1, before]);
  expect(done.stderr).toMatch(/Nothing was committed: gpg failed to sign the data/);
});

it("the first commit of a repository, a detached HEAD and a linked work tree work", async () => {
  scene.write("a.txt", "1\n");
  expect((await scene.commit(["--yes", "--all"])).stdout).toMatch(/^\[main /);
  scene.git("switch", "-q", "--detach");
  scene.write("a.txt", "2\n");
  expect((await scene.commit(["--yes", "--all"])).stdout).toMatch(/^\[detached HEAD /);
  scene.git("worktree", "add", "-q", "linked", "-b", "side");
  scene.write("linked/a.txt", "3\n");
  const linked = await scene.commit(["--yes", "--all"], { cwd: join(scene.box.dir, "linked") });
  expect(linked.stdout).toMatch(/^\[side /);
  expect(scene.git("log", "--format=%D", "side", "-1").trim()).toContain("side");
});

it("a hook that fails on the first commit leaves a repository without one", async () => {
  scene.write("a.txt", "1\n");
  scene.hook("pre-commit", "exit 1");
  expect((await scene.commit(["--yes", "--all"])).code).toBe(1);
  expect(scene.git("status", "--porcelain=v2", "--branch")).toContain("# branch.oid (initial)");
  expect(scene.git("ls-files")).toBe("");
});

it("from a folder below, --all takes the whole repository; a template and odd settings do not get in the way", async () => {
  scene.write("form.txt", "Why:\n\n# explain\n");
  for (const [key, value] of [
    ["commit.template", "form.txt"],
    ["diff.noprefix", "true"],
    ["diff.mnemonicPrefix", "true"],
    ["diff.context", "0"],
    ["diff.external", "false"],
    ["core.fsmonitor", "touch ran; false"],
    ["log.showSignature", "true"],
    ["commit.cleanup", "strip"],
    ["commit.verbose", "true"],
    ["core.editor", "touch ran; false"],
    ["diff.renames", "copies"],
  ] as const)
    scene.git("config", key, value);
  scene.write("deep/er/b.txt", lines(3));
  scene.server.push(turn.text("#7 Fix it\n\nWhy: it was broken"));
  const done = await scene.commit(["--yes", "--all"], { cwd: join(scene.box.dir, "deep/er") });
  expect(done.code).toBe(0);
  expect(scene.git("show", "--format=", "--name-only", "HEAD").trim()).toBe("deep/er/b.txt\nform.txt");
  expect(scene.server.requests[0]!.text).toContain("The message has this form");
  expect(scene.git("log", "-1", "--format=%s").trim()).toBe("#7 Fix it");
});

it("words that belong to git commit are refused with what to do instead", async () => {
  for (const [args, line] of [
    [["a.txt"], /takes no file names or messages, but got "a\.txt"/],
    [["--amend"], /--amend/],
    [["-m", "text"], /writes the message itself and takes no -m\. .* --context "<text>"/],
    [["-am", "text"], /takes no -am/],
    [["--message=text"], /takes no --message/],
    [["--foo"], /Unknown option --foo\. See lathe commit --help\.$/m],
    [["--contxt", "x"], /Did you mean --context\?/],
    [["--continue"], /There is no lathe commit to continue/],
    [["--context", ""], /--context needs a text/],
    [["--yes", "--dry-run"], /Use only one/],
    [["--worktree"], /Leave out: --worktree/],
  ] as const) {
    const done = await scene.commit(args);
    expect([done.code, done.stderr.trim().split("\n").length]).toEqual([2, 1]);
    expect(done.stderr).toMatch(line);
  }
});

it("file names with line breaks, controls and odd signs add no lines, no trailers and no options", async () => {
  const names = [
    "a\n\nSigned-off-by: Boss <b@example.com>",
    "\u001b[2Jred",
    "--amend",
    ":(glob)*",
    "sp ace ",
    "diff --git a b",
  ];
  for (const [at, picked] of [[names[0]!], names].entries()) {
    for (const name of picked) scene.write(name, `${at}\n`);
    const done = await scene.commit(["--yes", "--all"], { env: { LATHE_COMMIT_TEST_FALLBACK: "true" } });
    expect([done.code, done.stderr]).toEqual([0, ""]);
    expect(done.stdout.trim().split("\n"), "no hook has changed anything").toHaveLength(1);
    expect(scene.git("log", "-1", "--format=%(trailers)").trim()).toBe("");
    const message = scene.git("log", "-1", "--format=%B").trim();
    expect(message).toContain('"a\\n\\nSigned-off-by: Boss <b@example.com>"');
    expect(message).not.toContain("\u001b");
    expect(scene.git("status", "--porcelain")).toBe("");
  }
  scene.write(names[0]!, "again\n");
  const { stdout } = await scene.commit(["--all", "--dry-run"]);
  expect(stdout).toContain('  M "a\\n\\nSigned-off-by: Boss <b@example.com>"\n');
});
