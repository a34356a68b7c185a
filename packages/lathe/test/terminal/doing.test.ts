// Commands with effects, at a real terminal: what they change and what they show.

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SONNET, TerminalBench } from "./bench.ts";
import { KEY, type TerminalRun } from "./emulator.ts";

let bench: TerminalBench;
beforeEach(async () => {
  bench = await TerminalBench.open();
});
afterEach(() => bench.close());

const command = (run: TerminalRun, text: string): void => run.type(`${text}${KEY.enter}`);
const file = (name: string): string => join(bench.box.dir, name);

const NAMES = (
  "help model thinking settings login logout new clear resume sessions tree branch fork name move compact handoff context cost " +
  "status export copy diff undo redo rewind init reload theme hotkeys tools todo jobs plan permissions add-dir quit exit"
).split(" ");

it("commands are completed by their names, with what they do", async () => {
  const run = await bench.open(SONNET, { columns: 120 });
  // In the gate every eighth one: each is looked up in the same table.
  for (const name of NAMES.filter((_, n) => process.env["LATHE_LONG"] !== undefined || n % 8 === 0)) {
    run.type(`/${name}`);
    await run.see(new RegExp(`❯ /${name} +\\w+`));
    run.type(KEY.ctrl("u"));
    await run.see("Ask for a change");
  }
});

describe("commands that speak to the model", () => {
  it("/init asks for an AGENTS.md, with words of one's own", async () => {
    bench.server.push(turn.text("written"));
    const run = await bench.open();
    command(run, "/init in French");
    await run.see("written");
    expect(bench.lastMessageText(0)).toMatch(/Write an AGENTS\.md[\s\S]*in French$/);
  });

  it("/reload sends instructions as they are now", async () => {
    bench.server.push(turn.text("one"), turn.text("two"));
    await writeFile(file("AGENTS.md"), "Always whistle.");
    const run = await bench.open();
    command(run, "first");
    await run.see(/one[\s\S]* out · \$/);
    await writeFile(file("AGENTS.md"), "Never whistle.");
    command(run, "/reload");
    await run.see("The next request will use the reloaded instructions.");
    command(run, "second");
    await run.see("two");
    const sent = JSON.stringify(bench.server.requests[1]?.body);
    expect(sent).toContain("Never whistle.");
    expect(sent).not.toContain("Always whistle.");
  });

  it("/add-dir lets the agent write there without a question; Tab completes the folder", async () => {
    await mkdir(join(bench.box.home, "elsewhere"));
    const target = join(bench.box.home, "elsewhere", "made.txt");
    const write = turn.calls([{ name: "write_file", args: { file_path: target, content: "there\n" } }]);
    bench.server.push(write, turn.text("done"));
    const run = await bench.open(SONNET, { columns: 120 });
    run.type("/add-dir ~/else");
    await run.see("❯ ~/elsewhere");
    run.type(KEY.enter);
    await run.see(/Folders: .*elsewhere/);
    command(run, "write it");
    await run.see("done");
    expect(await readFile(target, "utf8")).toBe("there\n");
  });
});

describe("commands that show", () => {
  it("/diff shows changed lines with their numbers in a viewer, and names new files", async () => {
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], { cwd: bench.box.dir });
    git("init", "-q");
    await writeFile(file("a.txt"), "one\ntwo\n");
    git("add", ".");
    git("commit", "-qm", "first");
    const run = await bench.open();
    command(run, "/diff");
    await run.see("Nothing has changed since the last commit.");
    await writeFile(file("a.txt"), "one\nthree\n");
    await writeFile(file("new.txt"), "x\n");
    command(run, "/diff");
    await run.see(/a\.txt \(\+1 -1\)[\s\S]*2 - two\n.*2 \+ three/);
    expect(run.isAlternate).toBe(true);
    run.type("q");
    await run.see(/New files that git does not track yet:\n.*new\.txt/);
  });

  it("/copy puts the last answer on the clipboard of the terminal", async () => {
    bench.server.push(turn.text("Copy **me**: ä"));
    const run = await bench.open();
    command(run, "go");
    await run.see(/Copy me[\s\S]* out · \$/);
    command(run, "/copy");
    await run.see("Copied the last answer.");
    expect(run.raw).toContain(`\x1b]52;c;${Buffer.from("Copy **me**: ä").toString("base64")}\x07`);
  });
});

describe("a plan", () => {
  const plan = (text: string) => turn.calls([{ name: "exit_plan_mode", args: { plan: text } }]);

  it("G-35 is shown whole before it is carried out; words go back to the model, yes ends plan mode and names the session", async () => {
    bench.server.push(
      plan("# Fix the sum\n\n1. Look at **add**"),
      plan("# Fix the sum\n\n1. Test first"),
      turn.calls([{ name: "write_file", args: { file_path: "made.txt", content: "x" } }]),
      turn.text("carried out"),
    );
    const run = await bench.open([...SONNET, "--permission-mode", "plan"], { rows: 30 });
    command(run, "plan it");
    const rows = await run.see(/Carry out this plan\?\nFix the sum[\s\S]*1\. Look at add[\s\S]*Esc to stop/);
    expect(rows.filter((row) => row.includes("Look at add"))).toHaveLength(1);
    expect(rows.join("\n")).toMatch(/─\nCarry out[\s\S]*w {2}No, and say what to change\n─/);
    run.type("w");
    await run.see("What should be different?");
    command(run, "a test first");
    await run.see(/1\. Test first[\s\S]*Esc to stop/);
    expect(JSON.stringify(bench.server.requests[1]?.view.messages.at(-1)?.results)).toContain("a test first");
    run.type("y");
    await run.see("carried out");
    expect(existsSync(file("made.txt"))).toBe(true);
    await run.see((screen) => screen.split("\n").at(-1)?.startsWith("auto-edit ") ?? false);
    command(run, "/status");
    await run.seeAnywhere(/session +Fix the sum/);
  });
});

describe("the list of sessions", () => {
  const earlier = async (): Promise<void> => {
    bench.server.push(turn.text("the **older** answer"), turn.text("the newer answer"));
    await bench.box.run([...SONNET, "-p", "banana question"], { env: bench.env });
    await bench.box.run([...SONNET, "-p", "cherry question"], { env: bench.env });
  };

  it("G-39 Ctrl+R renames, Ctrl+S sorts by name, Ctrl+P shows files, and Ctrl+D deletes after a question", async () => {
    await earlier();
    const run = bench.start(["--resume"], { columns: 120, rows: 30 });
    await run.see(/❯ cherry question[\s\S]*banana question[\s\S]*ctrl\+r to rename · ctrl\+d to delete/);
    run.type(KEY.ctrl("s"));
    await run.see(/banana question[\s\S]*❯ cherry question/);
    run.type(KEY.ctrl("r"));
    await run.see("New name:");
    command(run, "apple pie");
    await run.see(/❯ apple pie[\s\S]*banana question/);
    run.type(KEY.ctrl("p"));
    await run.see(/banana question.*\/home\//);
    run.type(KEY.ctrl("p"));
    run.type(KEY.down);
    await run.see(/❯ banana question/);
    run.type(KEY.ctrl("d"));
    await run.see(/Delete banana question[\s\S]*❯ No, keep it/);
    run.type(KEY.escape);
    await run.see(/❯ banana question/);
    run.type(KEY.ctrl("d"));
    await run.see("No, keep it");
    run.type(KEY.down);
    await run.see("❯ Yes, delete");
    run.type(KEY.enter);
    await run.see((screen) => screen.includes("❯ apple pie") && !screen.includes("banana question"));
    run.type(KEY.escape);
    await run.exited;
    const { stdout } = await bench.box.run(["sessions", "list"]);
    expect(stdout).toContain("apple pie");
    expect(stdout).not.toContain("banana");
  });

  it("G-39 the preview is rendered, and Ctrl+C leaves with 0", async () => {
    await earlier();
    const run = bench.start(["--resume"], { columns: 120 });
    await run.see("Enter to choose");
    run.type("banana");
    const rows = await run.see(/│.*the older answer/);
    expect(rows.join("\n")).not.toContain("**");
    run.type(KEY.ctrl("c"));
    expect(await run.exited).toBe(0);
  });
});
