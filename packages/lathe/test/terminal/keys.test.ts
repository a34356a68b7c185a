// What single keys do at a real terminal, besides typing and choosing.

import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gate, turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CLI } from "../command.ts";
import { BUILT, SONNET, TerminalBench } from "./bench.ts";
import { KEY, type TerminalRun } from "./emulator.ts";

let bench: TerminalBench;
beforeEach(async () => {
  bench = await TerminalBench.open();
});
afterEach(() => bench.close());

const lastRow = (run: TerminalRun): string => run.screen.at(-1) ?? "";

describe("keys that change something", () => {
  it("Ctrl+T goes to the next thinking level, and the request has it", async () => {
    bench.server.push(turn.text("thought"));
    const run = await bench.open();
    for (const level of ["off", "minimal", "low"]) {
      run.type(KEY.ctrl("t"));
      await run.see(`Thinking: ${level}`);
    }
    await run.see(() => lastRow(run).includes("claude-sonnet-4-5 low"));
    run.type(`go${KEY.enter}`);
    await run.see("thought");
    expect(bench.server.requests[0]?.body).toHaveProperty("thinking");
  });

  it("Ctrl+P goes to the next model that can be called, and the status line names it", async () => {
    const run = await bench.open();
    run.type(KEY.ctrl("p"));
    await run.see(/Model: anthropic\/claude-/);
    await run.see(() => !lastRow(run).includes("claude-sonnet-4-5") && lastRow(run).includes("claude-"));
  });

  it("TU-05 Ctrl+G edits the text in $VISUAL; what the editor leaves is in the composer", async () => {
    const editor = join(bench.box.dir, "editor.sh");
    await writeFile(editor, '#!/bin/sh\nprintf " and the second line\\n" >> "$1"\n');
    await chmod(editor, 0o755);
    bench.server.push(turn.text("read both"));
    const run = await bench.open(SONNET, { ...BUILT, env: { VISUAL: editor, EDITOR: "false" } });
    run.type("the first line");
    await run.see("❯ the first line");
    run.type(KEY.ctrl("g"));
    await run.see("❯ the first line and the second line");
    run.type(KEY.enter);
    await run.see("read both");
    expect(bench.lastMessageText(0)).toMatch(/the first line and the second line$/);
  });

  it("TU-05 an editor that fails leaves the text as it was, and no editor is said", async () => {
    const run = await bench.open(SONNET, { ...BUILT, env: { EDITOR: "false" } });
    run.type(`words${KEY.ctrl("g")}`);
    await run.see(/❯ words[\s\S]*false exited with 1; the text was not changed\./);
    const other = await bench.open();
    other.type(KEY.ctrl("g"));
    await other.see("Set VISUAL or EDITOR to edit the input there.");
  });
});

describe("what waits to be sent", () => {
  it("Ctrl+S stops the work and sends what waits and what is typed, now", async () => {
    const door = gate();
    bench.server.push(turn.text("never", { before: door.wait }), turn.text("did that"));
    const run = await bench.open();
    run.type(`work${KEY.enter}`);
    await door.reached;
    run.type(`first this${KEY.enter}`);
    await run.see(/Sent at the next step: .*ctrl\+s to stop and send now\n.*first this/);
    run.type(`then that${KEY.ctrl("s")}`);
    await run.see(/Interrupted[\s\S]*did that/);
    door.open();
    expect(bench.lastMessageText(1)).toMatch(/first this\n\nthen that$/);
    expect(run.all.join("\n")).not.toContain("never");
  });

  it("messages of a queue come back together, can be edited, and what is deleted is not sent", async () => {
    const door = gate();
    bench.server.push(turn.text("done", { before: door.wait }), turn.text("and the tests"));
    const run = await bench.open();
    run.type(`work${KEY.enter}`);
    await door.reached;
    run.type(`then tidy up${KEY.altEnter}`);
    await run.see(/Sent when the work is done[\s\S]*then tidy up/);
    run.type(`then sleep${KEY.altEnter}`);
    await run.see(/then tidy up\n.*then sleep/);
    run.type(KEY.altUp);
    await run.see(/❯ then tidy up\n\s+then sleep/);
    run.type(KEY.ctrl("u") + KEY.backspace + KEY.backspace + KEY.ctrl("u"));
    await run.see("Ask for a change");
    run.type(`then run the tests${KEY.altEnter}`);
    await run.see(/Sent when the work is done[\s\S]*then run the tests/);
    door.open();
    await run.see("and the tests");
    expect(bench.lastMessageText(1)).toMatch(/then run the tests$/);
    expect(bench.server.requests).toHaveLength(2);
  });
});

it("vim keys are a setting: Escape goes to normal mode instead of back in time, / searches", async () => {
  await mkdir(bench.box.env["LATHE_HOME"] ?? "", { recursive: true });
  await writeFile(join(bench.box.env["LATHE_HOME"] ?? "", "config.yml"), "editor.vim: true\n");
  bench.server.push(turn.text("changed"));
  const run = await bench.open();
  run.type("alpha beta alpha");
  await run.see("❯ alpha beta alpha");
  run.type(KEY.escape);
  await run.see("─ normal ─");
  run.type("/beta");
  await run.see(/─ \/beta ─/);
  run.type(KEY.enter);
  await run.see("─ normal ─");
  run.type("cwgamma");
  await run.see("❯ alpha gamma alpha");
  run.type(KEY.enter);
  await run.see("changed");
  expect(bench.lastMessageText(0)).toMatch(/alpha gamma alpha$/);
});

describe("in a shell", () => {
  const shell = (): TerminalRun => {
    const env = { PS1: "shell> ", LATHE: `${process.execPath} ${CLI} ${SONNET.join(" ")}`, HISTFILE: "" };
    return bench.start(["--norc", "--noprofile", "-i"], { program: "bash", env, columns: 100 });
  };

  it("MO-01 Ctrl+Z gives the shell its terminal, fg brings back what was typed, and leaving ends in the shell", async () => {
    const door = gate();
    bench.server.push(turn.text("never", { before: door.wait }));
    const run = shell();
    await run.see("shell> ");
    run.type("$LATHE\n");
    await run.see(/\/help[\s\S]*Ask for a change/);
    run.type("half a thought");
    await run.see("❯ half a thought");
    run.type(KEY.ctrl("z"));
    await run.see(/Stopped[\s\S]*shell> $/);
    expect(run.modes).toMatchObject({ bracketedPasteMode: true });
    run.type("stty -a | grep -o ' icanon' | tr -d ' '\n");
    await run.see(/^icanon$/m);
    run.type("fg\n");
    await run.see(/fg\n[\s\S]*❯ half a thought/);
    run.type(`!!echo back again${KEY.enter}`);
    await door.reached;
    await run.see("half a thought!!echo back again");
    run.type(KEY.ctrl("c"));
    await run.see(/Interrupted[\s\S]* out/);
    run.type(KEY.ctrl("d"));
    await run.see(/shell> $/);
    run.type("echo status $?\n");
    await run.see("status 0");
  });

  it("lathe | tee writes plain lines: nothing in the log moves a cursor", async () => {
    bench.server.push(turn.text("It **works**."));
    const run = shell();
    await run.see("shell> ");
    run.type("$LATHE | tee log.txt\n");
    await run.see("/help");
    run.type("does it work?\n");
    await run.see(/It (\*\*)?works/);
    run.type("/quit\n");
    await run.see(/To continue[\s\S]*shell> $/);
    run.type("grep -c works log.txt; grep -c $'\\x1b' log.txt\n");
    await run.see(/^[1-9]\d*\n0$/m);
  });
});
