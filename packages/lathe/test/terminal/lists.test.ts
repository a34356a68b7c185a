// Printed output: lists that are readable at any width, and commands that do what they say.

import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
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

describe("lists in two columns", () => {
  /** Lines of a list begin with a name or are indented: nothing continues at the left edge. */
  const strays = (rows: readonly string[], names: RegExp): string[] =>
    rows.filter((row) => row !== "" && !row.startsWith("  ") && !names.test(row));

  it.each([100, 80, 40])("/help and /status at %d columns: a text goes on below itself", async (columns) => {
    const run = await bench.open(SONNET, { columns, rows: 50 });
    command(run, "/help");
    const help = await run.seeAnywhere(/\/theme[\s\S]*\/hotkeys[\s\S]*Ask for/);
    const begin = help.findIndex((row) => row.startsWith("/settings") || row.startsWith("/model"));
    const end = help.findIndex((row) => row.startsWith("──"));
    expect(strays(help.slice(begin, end), /^\//)).toEqual([]);
    command(run, "/status");
    const status = await run.seeAnywhere(/\nversion[\s\S]*\njobs[\s\S]*Ask for/);
    const from = status.findIndex((row) => row.startsWith("version"));
    const to = status.findIndex((row, i) => i > from && row.startsWith("──"));
    expect(
      strays(
        status.slice(from, to),
        /^(version|model|thinking|edits|permissions|folder|session|file|context|cost|jobs|sandbox|hidden)\b/,
      ),
    ).toEqual([]);
  });

  it("/tools says whole sentences: a colon ends none", async () => {
    const run = await bench.open(SONNET, { columns: 100, rows: 60 });
    command(run, "/tools");
    const rows = await run.seeAnywhere(/write_file +Writes a whole file: creates it/);
    expect(rows.filter((row) => row.endsWith(":"))).toEqual([]);
  });

  it.each([100, 40])("/hotkeys at %d columns: no action stands at the left edge", async (columns) => {
    const run = await bench.open(SONNET, { columns, rows: 40 });
    command(run, "/hotkeys");
    await run.see(() => run.isAlternate);
    const rows = await run.see("(app.");
    expect(rows.slice(1).filter((row) => /^\(?(app|tui)\./.test(row))).toEqual([]);
  });
});

it("MO-01 /move takes the session to another folder, whose commands are completed from then on", async () => {
  const there = join(bench.box.dir, "there");
  await mkdir(join(there, ".lathe/commands"), { recursive: true });
  await writeFile(join(there, ".lathe/commands/zebra.md"), "Paint it.\n");
  await bench.box.run(["trust"], { cwd: there });
  bench.server.push(turn.text("hello"), turn.text("from there"));
  const run = await bench.open(SONNET, { columns: 120 });
  command(run, "hi");
  await run.see(/hello[\s\S]* out · \$/);
  command(run, "/move there");
  await run.see(/This session now works in .*there\./);
  command(run, "where");
  await run.see("from there");
  run.type("/zeb");
  await run.see("/zebra");
  expect(run.all.join("\n")).not.toContain("failed");
});

it("Enter on a folder that was typed in full takes it, and not the first folder in it; Tab goes on to that one", async () => {
  await mkdir(join(bench.box.dir, "there/inner"), { recursive: true });
  bench.server.push(turn.text("hello"));
  const run = await bench.open(SONNET, { columns: 120 });
  command(run, "hi");
  await run.see(/hello[\s\S]* out · \$/);
  run.type("/move there/");
  await run.see("there/inner");
  run.type(KEY.tab);
  await run.see(/❯ \/move there\/inner/);
  run.type(KEY.backspace.repeat("inner".length));
  await run.see(/❯ \/move there\/\s+[\s\S]*there\/inner/);
  run.type(KEY.enter);
  await run.see(/This session now works in .*there\./);
});

it("/diff before the first commit shows what is new", async () => {
  const git = (...args: string[]): void =>
    void execFileSync("git", args, { cwd: bench.box.dir, env: { ...process.env, ...bench.box.env } });
  git("init", "-q");
  await writeFile(join(bench.box.dir, "added.txt"), "first line\n");
  await writeFile(join(bench.box.dir, "loose.txt"), "x\n");
  git("add", "added.txt");
  const run = await bench.open(SONNET, { columns: 100 });
  command(run, "/diff");
  await run.see(/there is no commit yet[\s\S]*added\.txt[\s\S]*first line/);
  run.type("q");
  await run.see(/New files that git does not track yet:[\s\S]*loose\.txt/);
  expect(run.all.join("\n")).not.toContain("bad revision");
});

it("a part of the status line that does not exist is refused with those that do", async () => {
  const run = await bench.open(SONNET, { columns: 140 });
  command(run, "/settings statusLine.parts bogus");
  await run.see("must be one of mode, path, view, branch, verdict, workflow, jobs, agents, model, context, cost");
  command(run, "/settings statusLine.parts cost,model");
  await run.see("statusLine.parts = cost,model, from the next start on.");
});

it("a theme file that is wrong is named at the start, and /theme says it in one sentence", async () => {
  const themes = join(bench.box.env["LATHE_HOME"] ?? "", "themes");
  await mkdir(themes, { recursive: true });
  await writeFile(join(themes, "bad.json"), "{");
  const run = await bench.open(SONNET, { columns: 140 });
  await run.see(/Theme bad: the file is not valid JSON \(.*\)\. See \/theme\./);
  command(run, "/theme bad");
  await run.see(/❯ \/theme bad[\s\S]*Theme bad: .*\)\. See \/theme\./);
  expect(run.all.join("\n")).not.toContain(")..");
});

it("EX-11 /extensions shows a shadowed command with the one that wins, and Enter switches one off", async () => {
  for (const folder of [".lathe", ".claude"]) {
    await mkdir(join(bench.box.home, folder, "commands"), { recursive: true });
    await writeFile(join(bench.box.home, folder, "commands/fix.md"), "---\ndescription: Fixes things\n---\nFix it.");
  }
  const run = await bench.open(SONNET, { columns: 100, rows: 30 });
  command(run, "/extensions");
  await run.see(/command: fix +Lathe, user: [\s\S]*command: fix +Claude Code, shadowed/);
  run.type(KEY.down);
  const rows = await run.see(/❯ command: fix +Claude Code, shadowed[\s\S]*shadowed by/);
  const preview = rows.map((row) => row.split("│")[1]?.trim() ?? "").join(" ");
  expect(preview).toContain("Fixes things");
  expect(preview).toMatch(/command of Claude Code, user: +~\/\.claude\/commands\/fix\.md/);
  expect(preview).toMatch(/shadowed by +~\/\.lathe\/commands\/fix\.md/);
  run.type(KEY.enter);
  await run.see(/Lathe, ignored[\s\S]*Claude Code, ignored/);
  run.type(KEY.escape);
  await run.see(/command:fix is off\.[\s\S]*Takes effect in the next session/);
});
