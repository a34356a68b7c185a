// However the command ends, the terminal is as it was before, and typed text is not lost.

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Gate, gate, turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CLI } from "../command.ts";
import { BUILT, SONNET, TerminalBench } from "./bench.ts";
import { KEY, type TerminalRun } from "./emulator.ts";

let bench: TerminalBench;
beforeEach(async () => {
  bench = await TerminalBench.open();
});
afterEach(() => bench.close());

const isRestored = (run: TerminalRun): void => {
  expect(run.modes).toMatchObject({ bracketedPasteMode: false, sendFocusMode: false });
  expect(run.isAlternate).toBe(false);
  expect(run.raw.lastIndexOf("\x1b[?25h")).toBeGreaterThanOrEqual(run.raw.lastIndexOf("\x1b[?25l"));
};

/** Some events of the answer arrive, then no more until the gate opens. */
const cutAfter = (door: Gate, events: number) => {
  let sent = 0;
  return async (): Promise<void> => {
    if (sent++ >= events) await door.wait();
  };
};

const SIGNALS = ["SIGTERM", "SIGHUP", "SIGINT"] as const;

describe("the terminal is given back", () => {
  it.each(SIGNALS)("after %s in the middle of work, and what was typed is there again", async (signal) => {
    const door = gate();
    bench.server.push(turn.text("never", { before: door.wait }));
    const run = await bench.open(SONNET, BUILT);
    run.type(`go${KEY.enter}`);
    await door.reached;
    run.type("a long thought");
    await run.see("❯ a long thought");
    run.signal(signal);
    expect(await run.exited).toBe(130);
    door.open();
    isRestored(run);
    expect(run.raw).toContain("\x1b[<u");
    const next = await bench.open();
    await next.see("❯ a long thought");
  });

  it("and how to continue is the last line, below the answer that was cut off", async () => {
    const door = gate();
    const answer = "The first paragraph.\n\nA second one that never ends";
    bench.server.push(turn.text(answer, { beforeEvent: cutAfter(door, 7) }));
    const run = await bench.open(SONNET, BUILT);
    run.type(`go${KEY.enter}`);
    await run.see("A second one");
    run.signal("SIGTERM");
    await run.exited;
    door.open();
    expect(run.all.at(-1)).toMatch(/^To continue: lathe --resume \w+$/);
    expect(run.all.join("\n")).toMatch(/A second one[\s\S]*To continue/);
  });

  it("Ctrl+C at an editor that leaves the terminal as it is belongs to the editor", async () => {
    execFileSync("mkfifo", [join(bench.box.dir, "pipe")]);
    const run = await bench.open(SONNET, { ...BUILT, env: { EDITOR: "echo editing; exec cat pipe #" } });
    run.type("my words");
    await run.see("❯ my words");
    run.type(KEY.ctrl("g"));
    await run.see(/^editing$/m);
    run.type(KEY.ctrl("c"));
    await run.see(/❯ my words[\s\S]*the text was not changed/);
    run.type(" go on");
    await run.see("❯ my words go on");
  });

  it("a Ctrl+C at an editor that is told to us after the editor's end does not end the command", async () => {
    const run = await bench.open(SONNET, { ...BUILT, env: { EDITOR: "false #" } });
    run.type("my words");
    await run.see("❯ my words");
    run.type(KEY.ctrl("g"));
    await run.see(/❯ my words[\s\S]*the text was not changed/);
    run.signal("SIGINT");
    run.type(" go on");
    await run.see("❯ my words go on");
  });

  it.each([
    ["--resume", "nope"],
    ["--model", "nobody/nothing"],
  ])("answers of the terminal do not reach the shell when the start fails (%s %s)", async (...args) => {
    const line = `'${process.execPath}' '${CLI}' ${args.join(" ")}; echo left-$?; cat`;
    const run = bench.start(["-c", line], { program: "/bin/sh" });
    await run.see(/left-[1-9]/);
    run.type("typed\n");
    const rows = await run.see(/^typed\ntyped$/m);
    expect(rows.slice(rows.findIndex((row) => row.startsWith("left-")) + 1)).toEqual(["typed", "typed"]);
  });

  it("after a signal while a viewer has the whole screen", async () => {
    bench.server.push(turn.text("an answer"));
    const run = await bench.open(SONNET, BUILT);
    run.type(`go${KEY.enter}`);
    await run.see("an answer");
    run.type(KEY.ctrl("o"));
    await run.see(() => run.isAlternate);
    run.signal("SIGTERM");
    await run.exited;
    isRestored(run);
  });

  it("after a bug: the message is below what was on the screen", async () => {
    const hook = join(bench.box.dir, "crash.cjs");
    await writeFile(hook, `process.addListener("SIGUSR2", () => { throw new Error("a bug"); });`);
    const run = await bench.open(SONNET, { env: { NODE_OPTIONS: `--require ${hook}` } });
    run.type("half a sentence");
    await run.see("half a sentence");
    run.signal("SIGUSR2");
    expect(await run.exited).toBe(70);
    isRestored(run);
    expect(run.all.at(-1)).toMatch(/^lathe: Internal error: a bug\./);
    const next = await bench.open();
    await next.see("❯ half a sentence");
  });

  it("and taken again after Ctrl+Z and fg", async () => {
    const shell = await bench.open(SONNET, BUILT);
    shell.type("some words");
    await shell.see("❯ some words");
    shell.type(KEY.ctrl("z"));
    // Nobody is there to stop us: it comes back by itself, and keys work as before.
    shell.type(" more");
    await shell.see("❯ some words more");
  });
});

describe("a draft", () => {
  const drafts = (): string => join(bench.box.env["LATHE_HOME"] ?? "", "drafts");
  const isKept = (): boolean => existsSync(drafts()) && execFileSync("ls", [drafts()]).length > 0;

  it("survives SIGKILL, pastes included, and is offered once", async () => {
    const run = await bench.open(SONNET, BUILT);
    run.type("look at ");
    const pasted = Array.from({ length: 30 }, (_, i) => `line ${i}`).join("\n");
    run.paste(pasted);
    await run.see(/look at \[paste/);
    await expect.poll(isKept).toBe(true);
    run.signal("SIGKILL");
    await run.exited;
    bench.server.push(turn.text("looked"));
    const next = await bench.open();
    await next.see("line 29");
    next.type(KEY.enter);
    await next.see(/looked[\s\S]* out · \$/);
    expect(bench.lastMessageText(0)).toContain(`look at ${pasted}`);
    next.type(KEY.ctrl("d"));
    expect(await next.exited).toBe(0);
    expect(isKept()).toBe(false);
  });

  it("that Ctrl+C clears comes back with Up, or by undoing it", async () => {
    const run = await bench.open();
    run.type("a long thought");
    await run.see("❯ a long thought");
    run.type(KEY.ctrl("c"));
    await run.see(/Ask for a change[\s\S]*Press Ctrl\+C again to quit/);
    run.type(KEY.ctrl("_"));
    await run.see("❯ a long thought");
    run.type(KEY.ctrl("c"));
    await run.see("Ask for a change");
    run.type(KEY.up);
    await run.see("❯ a long thought");
  });

  it("of a process that is still there stays with it", async () => {
    const run = await bench.open(SONNET, BUILT);
    run.type("mine");
    await expect.poll(isKept).toBe(true);
    const other = await bench.open();
    expect(other.screen.join("\n")).not.toContain("mine");
  });
});

it("Ctrl+C right after Enter takes the message back into the input, and nothing is sent", async () => {
  bench.server.push(turn.text("here I am"));
  const run = await bench.open();
  run.type(`are you there${KEY.enter}${KEY.ctrl("c")}`);
  await run.see(/Press Ctrl\+C again to quit[\s\S]*❯ are you there|❯ are you there[\s\S]*Press Ctrl\+C again to quit/);
  expect(bench.server.requests).toHaveLength(0);
  run.type(` now${KEY.enter}`);
  await run.see("here I am");
  expect(bench.server.requests[0]?.view.messages.at(-1)?.text).toContain("are you there now");
});
