// What a user does besides the conversation: shell commands, background work, earlier prompts.

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BUILT, SONNET, TerminalBench } from "./bench.ts";
import { KEY } from "./emulator.ts";

let bench: TerminalBench;
beforeEach(async () => {
  bench = await TerminalBench.open();
});
afterEach(() => bench.close());

describe("commands of the person's own", () => {
  it("MO-02 !cmd runs at once, shows its output and exit, and the model reads it; !!cmd stays here", async () => {
    bench.server.push(turn.text("seen"));
    const run = await bench.open();
    run.type(`!echo hi; exit 3${KEY.enter}`);
    await run.see(/✗ \$ echo hi; exit 3 · exit 3\n {2}hi\n/);
    run.type(`!!echo secret${KEY.enter}`);
    await run.see(/✓ \$ echo secret · exit 0, the model does not see it\n {2}secret\n/);
    run.type(`go${KEY.enter}`);
    await run.see("seen");
    const sent = JSON.stringify(bench.server.requests[0]?.body);
    expect(sent).toContain("echo hi; exit 3");
    expect(sent).not.toContain("echo secret");
  });

  it("MO-02 Esc cancels it", async () => {
    const run = await bench.open();
    execFileSync("mkfifo", [join(bench.box.dir, "pipe")]);
    run.type(`!cat < pipe${KEY.enter}`);
    await run.see("$ cat < pipe");
    run.type(KEY.escape);
    await run.see("$ cat < pipe · cancelled");
  });

  it("MO-02 what it prints is seen while it runs, with its time; work and other commands go on above it", async () => {
    bench.server.push(turn.text("an answer meanwhile"));
    const run = await bench.open(SONNET, { rows: 30 });
    execFileSync("mkfifo", [join(bench.box.dir, "pipe")]);
    run.type(`!seq 1 9; printf half; read line < pipe; echo $line${KEY.enter}`);
    await run.see(/● \$ seq 1 9; [^\n]*\n {2}… 5 earlier lines[^\n]*\n {2}6\n {2}7\n {2}8\n {2}9\n {2}half\n/);
    await run.see("Esc to stop · ctrl+b to send to the background");
    await run.see(/● \$ seq 1 9; [^\n]* · [1-9]\d*s\n/);
    run.type(`!echo other${KEY.enter}`);
    await run.see("A command is already running");
    run.type(`meanwhile${KEY.enter}`);
    await run.see(/an answer meanwhile[\s\S]*● \$ seq 1 9; /);
    await writeFile(join(bench.box.dir, "pipe"), "the-end\n");
    await run.see(/✓ \$ seq 1 9; [^\n]* · exit 0 · took [\d.]+s\n {2}1\n[\s\S]*halfthe-end\n/);
    expect(run.all.join("\n")).not.toMatch(/●|Esc to stop/);
  });

  it("MO-02 Ctrl+B sends it to the background; a resumed session shows it as it was", async () => {
    bench.server.push(turn.text("seen"), turn.text("noted"));
    const run = await bench.open(SONNET, { columns: 120 });
    run.type(`go${KEY.enter}`);
    await run.see("seen");
    execFileSync("mkfifo", [join(bench.box.dir, "pipe")]);
    run.type(`!echo begun; cat < pipe > out.txt${KEY.enter}`);
    await run.see(/● \$ echo begun[^\n]*\n {2}begun/);
    run.type(KEY.ctrl("b"));
    await run.see(/✓ \$ echo begun[^\n]* · in the background as job 1[^\n]*\n {2}begun/);
    run.type(`/jobs${KEY.enter}`);
    await run.see(/1 {2}running .* echo begun; cat < pipe > out\.txt/);
    await writeFile(join(bench.box.dir, "pipe"), "done\n");
    // The model is told about its end, and that work is over before the user leaves.
    await run.see(/noted[\s\S]* out · \$/);
    expect(existsSync(join(bench.box.dir, "out.txt"))).toBe(true);
    run.type(`!!echo mine${KEY.enter}`);
    await run.see("✓ $ echo mine · exit 0, the model does not see it");
    run.type(KEY.ctrl("d"));
    await run.exited;
    const resumed = bench.start(["--continue"], { columns: 120 });
    await resumed.see(/❯ go[\s\S]*seen[\s\S]*✓ \$ echo begun[^\n]*job 1[\s\S]*✓ \$ echo mine · exit 0/);
    expect(resumed.all.join("\n")).not.toContain("<user_command>");
  });
});

it("Ctrl+B sends the running command to the background, and the work goes on", async () => {
  execFileSync("mkfifo", [join(bench.box.dir, "pipe")]);
  bench.server.push(
    turn.calls([{ name: "shell", args: { command: "echo begun; cat < pipe > out.txt" } }]),
    turn.text("it goes on by itself"),
  );
  const run = await bench.open([...SONNET, "--permission-mode", "full"], { columns: 120 });
  run.type(`go${KEY.enter}`);
  const rows = await run.see(/● Running echo begun[\s\S]*\n {2}begun\n[\s\S]*Running {2}\d+s · esc to interrupt/);
  expect(rows.filter((row) => row.includes("cat < pipe"))).toHaveLength(1);
  run.type(KEY.ctrl("b"));
  await run.see("it goes on by itself");
  run.type(`/jobs${KEY.enter}`);
  await run.see(/1 {2}running .* echo begun; cat < pipe > out\.txt/);
  await writeFile(join(bench.box.dir, "pipe"), "done\n");
  await expect.poll(() => existsSync(join(bench.box.dir, "out.txt"))).toBe(true);
});

it("the practice model says where a command goes on that was sent to the background", async () => {
  execFileSync("mkfifo", [join(bench.box.dir, "pipe")]);
  const run = await bench.open(["--model", "practice/basic", "--permission-mode", "full"], { columns: 120 });
  run.type(`run cat pipe${KEY.enter}`);
  await run.see("Running cat pipe");
  // Whether the command has started by now or not.
  run.type(KEY.ctrl("b"));
  await run.see("It continues in the background as job 1. /jobs 1 shows its output.");
  await writeFile(join(bench.box.dir, "pipe"), "done\n");
});

describe("earlier prompts", () => {
  it("LS-12 G-41 Up brings back the last one; Ctrl+R finds any of an earlier process", async () => {
    bench.server.push(turn.text("first"), turn.text("second"), turn.text("third"));
    const run = await bench.open(SONNET, BUILT);
    run.type(`alpha question${KEY.enter}`);
    await run.see(/first[\s\S]*Ask for a change/);
    run.type(`beta question${KEY.enter}`);
    await run.see(/second[\s\S]* out · \$/);
    run.type(KEY.up);
    await run.see("❯ beta question");
    run.type(KEY.up);
    await run.see("❯ alpha question");
    run.type(KEY.ctrl("c"));
    await run.see("Ask for a change");
    run.type(KEY.ctrl("d"));
    await run.exited;
    const next = await bench.open();
    next.type(KEY.ctrl("r"));
    await next.see(/Earlier prompts[\s\S]*beta question[\s\S]*alpha question/);
    next.type("alp");
    await next.see((screen) => screen.includes("alpha question") && !screen.includes("beta question"));
    next.type(KEY.enter);
    await next.see(/^─+\n❯ alpha question$/m);
    next.type(KEY.enter);
    await next.see("third");
    expect(bench.lastMessageText(2)).toMatch(/alpha question$/);
  });

  it("G-39 the session picker finds a word that was only said inside a session", async () => {
    bench.server.push(turn.text("about penguins"), turn.text("about bridges"));
    await bench.box.run([...SONNET, "-p", "first topic"], { env: bench.env });
    await bench.box.run([...SONNET, "-p", "second topic"], { env: bench.env });
    const run = bench.start(["--resume"]);
    await run.see("Enter to choose");
    run.type("penguins");
    await run.see((screen) => screen.includes("❯ first topic") && !screen.includes("second topic"));
    run.type(KEY.enter);
    await run.see(/first topic[\s\S]*about penguins[\s\S]*Ask for a change/);
  });
});
