// `lathe commit` in real repositories: staged changes are committed with a message in the project's style, hooks and
// partial staging are respected, and a failure leaves everything as it was.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gate, turn } from "@lathe/testkit";
import { afterEach, expect, it } from "vitest";
import { type CommitScene, commitScene, lines } from "./commit-kit.ts";

let scene: CommitScene;
afterEach(() => scene.close());

const subject = (): string => scene.git("log", "-1", "--format=%s").trim();

/** A repository with one commit and a staged change. */
async function changed(...script: Parameters<typeof commitScene>): Promise<void> {
  scene = await commitScene(...script);
  scene.write("a.txt", lines(40));
  scene.git("add", "-A");
  scene.git("commit", "-qm", "Start");
  scene.write("a.txt", `first\n${lines(40)}`);
  scene.git("add", "-A");
}

it("LS-13 commits what is staged with the message of the model, and nothing else", async () => {
  await changed();
  scene.write("new.txt", "not staged\n");
  scene.write("a.txt", `first\n${lines(40)}last\n`);
  const done = await scene.commit(["--yes"]);
  expect(done).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\[main [0-9a-f]{7}\] feat: x\n$/) });
  expect(subject()).toBe("feat: x");
  expect(scene.git("show", "--format=", "HEAD")).not.toContain("+last");
  expect(scene.git("status", "--porcelain")).toBe(" M a.txt\n?? new.txt\n");
  expect(scene.server.requests[0]!.text).toContain("modified a.txt");
  expect(existsSync(join(scene.box.dir, ".git/lathe-commit"))).toBe(false);
});

it("LS-13 without --yes and without a user the proposal is printed, nothing is committed, and the code is 6", async () => {
  await changed();
  const before = scene.state();
  const done = await scene.commit([]);
  expect(done.code).toBe(6);
  expect(done.stdout).toBe("    feat: x\n\n  M a.txt\n\n1 file, +1 -0\n");
  expect(done.stderr).toContain("To accept the first proposal: --yes");
  const dry = await scene.commit(["--dry-run"]);
  expect([dry.code, dry.stdout]).toEqual([0, done.stdout]);
  expect(scene.state()).toBe(before);
});

it("LS-13 --all takes every change, new files too; --json says what was done", async () => {
  await changed();
  scene.write("новый файл.txt", "данные\n");
  const done = await scene.commit(["--all", "--yes", "--json"]);
  const report = JSON.parse(done.stdout);
  expect(report).toMatchObject({
    status: "committed",
    branch: "main",
    source: "model",
    commits: [{ message: "feat: x", files: ["a.txt", "новый файл.txt"], changedByHook: [], editedByHook: [] }],
    secrets: [],
    model: "anthropic/claude-sonnet-4-5",
  });
  expect(report.commits[0].id).toBe(scene.git("rev-parse", "HEAD").trim());
  expect(report.usage.inputTokens).toBeGreaterThan(0);
  expect(scene.git("status", "--porcelain")).toBe("");
});

it("LS-13 the model gets only the names of files that hold keys, and the user is told so", async () => {
  await changed();
  scene.write(".env", "NAME=hunter2hunter2\n");
  scene.write("tls/server.pem", "hunter3hunter3\n");
  for (const split of [[], ["--split"]]) {
    const done = await scene.commit(["--all", "--dry-run", ...split]);
    expect(done.stderr).toContain("because they may hold keys or passwords: .env, tls/server.pem.");
  }
  const sent = scene.server.requests.map(({ text }) => text).join();
  expect(sent).toContain("new .env\\n(not shown: it may hold keys or passwords)");
  expect(sent).toContain("+first");
  expect(sent).not.toMatch(/hunter[23]/);
});

it("G-120 LATHE_COMMIT_TEST_FALLBACK makes a message without any request", async () => {
  await changed();
  const done = await scene.commit(["--yes"], { env: { LATHE_COMMIT_TEST_FALLBACK: "TRUE" } });
  expect([done.code, subject(), scene.server.requests.length]).toEqual([0, "Update a.txt", 0]);
});

it("G-120 without a model the message is plain, unless LATHE_COMMIT_NO_FALLBACK forbids it", async () => {
  await changed(() => turn.error(400, { message: "no" }));
  const before = scene.state();
  const refused = await scene.commit(["--yes"], { env: { LATHE_COMMIT_NO_FALLBACK: "true" } });
  expect([refused.code, scene.state()]).toEqual([3, before]);
  expect(refused.stderr).toContain("Nothing was committed.");
  const done = await scene.commit(["--yes"]);
  expect([done.code, subject()]).toEqual([0, "Update a.txt"]);
  expect(done.stderr).toContain("No model wrote this message:");
});

it("G-120 without a credential the message is plain", async () => {
  await changed();
  const done = await scene.commit(["--yes"], { env: { ANTHROPIC_API_KEY: "" } });
  expect([done.code, subject(), scene.server.requests.length]).toEqual([0, "Update a.txt", 0]);
});

it("LS-13 the model sees the style of the last commits, and an answer in another is asked for again", async () => {
  const answers = [
    "Added a thing",
    "feat(core): add a thing\n\nIt was missing.\n\nSigned-off-by: Nobody <n@example.com>",
  ];
  scene = await commitScene(() => turn.text(answers.shift() ?? "feat: again"));
  for (const [i, type] of ["feat", "fix(core)", "docs", "chore"].entries()) {
    scene.write("a.txt", `${i}\n`);
    scene.git("add", "-A");
    scene.git("commit", "-qsm", `${type}: change ${i}`);
  }
  scene.write("a.txt", "more\n");
  scene.git("add", "-A");
  expect((await scene.commit(["--yes", "--context", "asked for by the accountants"])).code).toBe(0);
  const [first, second] = scene.server.requests;
  expect(first!.text).toContain("- fix(core): change 1");
  expect(first!.text).toContain("The user says about this change: asked for by the accountants");
  expect(second!.text).toContain("The first line must begin with type:");
  // All commits of this author are signed off; a model must not sign.
  expect(scene.git("log", "-1", "--format=%B").trim()).toBe(
    "feat(core): add a thing\n\nIt was missing.\n\nSigned-off-by: Ada <ada@example.com>",
  );
});

it("a failing hook: its output is shown, and index and files are as before", async () => {
  await changed();
  scene.hook("pre-commit", "echo 'lint: 3 problems' >&2; exit 1");
  scene.write("b.txt", "not staged\n");
  for (const args of [["--yes"], ["--yes", "--all"]]) {
    const before = scene.state();
    const index = readFileSync(join(scene.box.dir, ".git/index"));
    const done = await scene.commit(args);
    expect(done.code).toBe(1);
    expect(done.stderr).toContain("lint: 3 problems\n");
    expect(done.stderr).toMatch(/lathe: Nothing was committed: a hook refused it .* as before\.\n/);
    expect(scene.state()).toBe(before);
    if (args.length === 1) expect(readFileSync(join(scene.box.dir, ".git/index")).equals(index)).toBe(true);
  }
  expect((await scene.commit(["--yes", "--no-verify"])).code).toBe(0);
});

it("a hook that edits: what it stages is committed as by git, what it only writes is named", async () => {
  await changed();
  scene.write("b.txt", "b\n");
  scene.git("add", "b.txt");
  scene.hook("pre-commit", "echo fixed > b.txt; git add b.txt; echo formatted >> a.txt");
  scene.hook("commit-msg", 'echo "Refs: 7" >> "$1"');
  const done = await scene.commit(["--yes"]);
  expect(done.code).toBe(0);
  expect(done.stdout).toContain("A hook changed the message.");
  expect(done.stdout).toContain("A hook changed what was committed: b.txt.");
  expect(done.stdout).toContain("A hook changed files that are not committed: a.txt.");
  expect(scene.git("show", "HEAD:b.txt")).toBe("fixed\n");
  expect(scene.git("status", "--porcelain")).toBe(" M a.txt\n");
});

it("a hook that edits and fails: the index is as before, its edits stay and are named", async () => {
  await changed();
  scene.hook("pre-commit", "echo formatted > a.txt; git add a.txt; exit 1");
  const staged = scene.git("diff", "--cached");
  const done = await scene.commit(["--yes"]);
  expect(done.code).toBe(1);
  expect(scene.git("diff", "--cached")).toBe(staged);
  expect(scene.read("a.txt")).toBe("formatted\n");
});

it("renames, deletions, binaries, modes, links and submodules are shown as what they are", async () => {
  await changed();
  scene.git("commit", "-qm", "more");
  scene.write("old name.txt", lines(30, "kept"));
  scene.write("gone.txt", "x\n");
  scene.write("run.sh", "echo\n");
  scene.git("init", "-q", "sub");
  scene.git("-C", "sub", "commit", "-q", "--allow-empty", "-m", "in sub");
  scene.git("add", "-A");
  scene.git("commit", "-qm", "files");
  scene.git("mv", "old name.txt", "neu ä.txt");
  scene.git("rm", "-q", "gone.txt");
  scene.git("update-index", "--chmod=+x", "run.sh");
  scene.write("pixel.bin", new Uint8Array([0, 1, 2, 0]));
  scene.git("-C", "sub", "commit", "-q", "--allow-empty", "-m", "again");
  scene.git("add", "pixel.bin", "sub");
  const done = await scene.commit(["--yes", "--json"]);
  expect(done.code).toBe(0);
  const { text } = scene.server.requests[0]!;
  for (const row of [
    "renamed old name.txt -> neu ä.txt",
    "deleted gone.txt",
    "modified run.sh, mode 100644 -> 100755",
    "new binary pixel.bin",
    "modified submodule sub",
  ])
    expect(text).toContain(row);
  expect(scene.git("diff", "--cached", "--name-only")).toBe("");
});

it("a secret is not sent, and a commit that would add one is warned about", async () => {
  await changed();
  const secret = "sk-live-0123456789abcdefghijklmn";
  scene.write("conf.env", `ok\nKEY=${secret}\n`);
  scene.git("add", "conf.env");
  const done = await scene.commit(["--dry-run"], { env: { DEPLOY_API_KEY: secret } });
  expect(done.stderr).toContain("conf.env:2 adds your secret DEPLOY_API_KEY to the repository.");
  expect(scene.server.requests[0]!.text).not.toContain(secret);
  const guessed = await scene.commit(["--dry-run"]);
  expect(guessed.stderr).toMatch(/conf\.env:2 adds what looks like a secret \([\w-]+\)/);
});

it("10,000 changed lines: prompts have at most 1.2 times the tokens of the diff, and each part is sent once", async () => {
  await changed(({ text }) =>
    turn.text(text.includes("You get a part of a change") ? "It changes lines." : "feat: much"),
  );
  for (let i = 0; i < 50; i++) scene.write(`src/file-${i}.txt`, lines(200, `const value_${i} = compute`));
  scene.git("add", "-A");
  const diff = scene.git("diff", "--cached");
  expect(diff.split("\n").length).toBeGreaterThan(10_000);
  expect((await scene.commit(["--yes"])).code).toBe(0);
  expect(subject()).toBe("feat: much");
  const prompts = scene.server.requests.map(
    ({ view }) => JSON.stringify(view.messages) + JSON.stringify(view.system ?? ""),
  );
  const sent = scene.server.requests.reduce((sum, { text }) => sum + text.length, 0);
  expect(sent / diff.length).toBeLessThan(1.2);
  expect(prompts.join("").split("new src/file-7.txt").length - 1).toBeLessThanOrEqual(2);
  expect(scene.server.requests.length).toBeGreaterThan(3);
});

it("G-120 LATHE_COMMIT_MAP_REDUCE=false sends the beginning of each part in one request", async () => {
  await changed();
  for (let i = 0; i < 30; i++) scene.write(`f-${i}.txt`, lines(300, `const value_${i} = compute`));
  scene.git("add", "-A");
  const done = await scene.commit(["--yes"], { env: { LATHE_COMMIT_MAP_REDUCE: "False" } });
  expect([done.code, scene.server.requests.length]).toEqual([0, 1]);
  expect(scene.server.requests[0]!.text).toContain("new f-29.txt");
});

it("limits of the run hold: a request that --max-cost does not pay for is not made", async () => {
  await changed();
  const before = scene.state();
  const done = await scene.commit(["--yes", "--max-cost", "0.000001"]);
  expect([done.code, scene.server.requests.length, scene.state()]).toEqual([5, 0, before]);
  expect(done.stderr).toContain("Nothing was committed: the next request could cost more");
});

it("an answer that never comes ends with --max-time, and nothing is committed", async () => {
  const door = gate();
  await changed(() => turn.text("late", { before: door.wait }));
  const before = scene.state();
  const done = await scene.commit(["--yes", "--max-time", "1s"]);
  door.open();
  expect([done.code, scene.state()]).toEqual([5, before]);
});

it("what a commit cost is in the statistics, and `lathe -c` does not continue it", async () => {
  await changed();
  await scene.commit(["--yes"]);
  const stats = await scene.box.run(["stats", "--json"], { env: scene.env });
  expect(stats.stdout).toContain("claude-sonnet-4-5");
  const going = await scene.run(["-c", "-p", "hello"]);
  expect(going.stderr).toContain("There is no earlier session of this directory");
});
