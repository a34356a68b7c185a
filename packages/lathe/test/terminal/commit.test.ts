// The user's answers to a proposal: at the prompt of `lathe commit`, and in a conversation.

import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gate, turn } from "@lathe/testkit";
import { afterEach, beforeEach, expect, it } from "vitest";
import { proposes } from "../commit-kit.ts";
import { BUILT, SONNET, TerminalBench } from "./bench.ts";
import { KEY } from "./emulator.ts";

let bench: TerminalBench;
let git: (...args: string[]) => string;
beforeEach(async () => {
  bench = await TerminalBench.open();
  const { dir, env, home } = bench.box;
  writeFileSync(
    join(home, ".gitconfig"),
    "[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n",
  );
  git = (...args) => execFileSync("git", args, { cwd: dir, env, stdio: "pipe" }).toString();
  git("init", "-q");
  writeFileSync(join(dir, "a.txt"), "a\n");
  writeFileSync(join(dir, "b.txt"), "b\n");
});
afterEach(() => bench.close());

it("LS-13 lathe commit asks: another message, several commits, the editor, yes", async () => {
  bench.server.push(turn.text("First message"), turn.text("Second message"), proposes(["Add a", "1"], ["Add b", "2"]));
  writeFileSync(join(bench.box.home, "editor.sh"), 'sed -i "s/Add b/Add b by hand/" "$1"\n');
  const env = { GIT_EDITOR: `sh ${join(bench.box.home, "editor.sh")}` };
  const run = bench.start(["commit", ...SONNET], { ...BUILT, env });
  await run.see("Nothing is staged. Stage 2 changed files? [y/N]");
  run.type(`y${KEY.enter}`);
  await run.see(/First message[\s\S]*\(s\)plit\/\(n\)o:/);
  run.type(`r${KEY.enter}`);
  await run.see(/Second message[\s\S]*\(n\)o:/);
  run.type(`s${KEY.enter}`);
  await run.see(/Commit 2 of 2[\s\S]*Make these 2 commits\?/);
  run.type(`e${KEY.enter}`);
  await run.see(/Add b by hand[\s\S]*Make these 2 commits\?/);
  run.type(`y${KEY.enter}`);
  await run.see(/\[main [0-9a-f]{7}\] Add b by hand/);
  expect(git("log", "--format=%s")).toBe("Add b by hand\nAdd a\n");
  expect(bench.lastMessageText(1)).toContain("The user did not want these messages");
});

it("LS-13 in a folder that is not trusted, (e)dit opens the user's editor, not the repository's core.editor", async () => {
  bench.server.push(turn.text("Add files"));
  const { dir, home } = bench.box;
  git("add", ".");
  git("config", "core.editor", `touch '${join(home, "ran")}'; true`);
  writeFileSync(join(home, "editor.sh"), 'sed -i "s/Add files/Add files by hand/" "$1"\n');
  execFileSync("git", ["config", "--file", join(home, ".gitconfig"), "core.editor", `sh ${join(home, "editor.sh")}`]);
  const run = bench.start(["commit", ...SONNET], BUILT);
  await run.see(/Add files[\s\S]*\(n\)o:/);
  run.type(`e${KEY.enter}`);
  await run.see(/not trusted, so your own editor opens[\s\S]*Add files by hand/);
  run.type(`y${KEY.enter}`);
  await run.see(/\[main [0-9a-f]{7}\] Add files by hand/);
  expect(existsSync(join(home, "ran"))).toBe(false);
  bench.server.push(turn.text("Add more"));
  writeFileSync(join(dir, "c.txt"), "c\n");
  git("add", ".");
  expect((await bench.box.run(["trust"])).code).toBe(0);
  const trusted = bench.start(["commit", ...SONNET], BUILT);
  await trusted.see(/Add more[\s\S]*\(n\)o:/);
  trusted.type(`e${KEY.enter}`);
  await trusted.see(/\(n\)o:[\s\S]*Add more[\s\S]*\(n\)o:/);
  expect(existsSync(join(home, "ran"))).toBe(true);
});

it("LS-13 /commit in a conversation: the user chooses, and the model knows of the commit", async () => {
  bench.server.push(turn.text("Add two files"), turn.text("ok"));
  const run = await bench.open();
  run.type(`/commit --all they belong together${KEY.enter}`);
  await run.see(/Add two files[\s\S]*2 files, \+2 -0[\s\S]*Commit this\?/);
  run.type(KEY.enter);
  await run.see(/\[main [0-9a-f]{7}\] Add two files/);
  expect(git("status", "--porcelain")).toBe("");
  expect(bench.server.requests[0]!.text).toContain("The user says about this change: they belong together");
  run.type(`and now?${KEY.enter}`);
  await run.see("ok");
  expect(JSON.stringify(bench.server.requests[1]!.body)).toContain("The user committed:");
});

it("Escape while the model writes ends /commit, and nothing is staged or committed", async () => {
  const door = gate();
  bench.server.push(turn.text("late", { before: door.wait }));
  const run = await bench.open();
  run.type(`/commit --all${KEY.enter}`);
  await door.reached;
  run.type(KEY.escape);
  await run.see("Interrupted: nothing was committed.");
  door.open();
  expect(git("status", "--porcelain")).toBe("?? a.txt\n?? b.txt\n");
});
