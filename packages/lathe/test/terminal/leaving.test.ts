// However the command ends, the terminal is as it was before, and what was typed is not lost.

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gate, turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SONNET, TerminalBench } from "./bench.ts";
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

describe("the terminal is given back", () => {
  it.each(["SIGTERM", "SIGHUP"] as const)("after %s in the middle of work", async (signal) => {
    const door = gate();
    bench.server.push(turn.text("never", { before: door.wait }));
    const run = await bench.open();
    run.type(`go${KEY.enter}`);
    await door.reached;
    run.signal(signal);
    expect(await run.exited).toBe(130);
    door.open();
    isRestored(run);
  });

  it("after a signal while a viewer has the whole screen", async () => {
    bench.server.push(turn.text("an answer"));
    const run = await bench.open();
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
    await writeFile(hook, `process.on("SIGUSR2", () => { throw new Error("a bug"); });`);
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
    const shell = await bench.open(SONNET);
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
    const run = await bench.open();
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
    await next.see("looked");
    expect(bench.said(0)).toContain(`look at ${pasted}`);
    next.type(KEY.ctrl("d"));
    expect(await next.exited).toBe(0);
    expect(isKept()).toBe(false);
  });

  it("of a process that is still there stays with it", async () => {
    const run = await bench.open();
    run.type("mine");
    await expect.poll(isKept).toBe(true);
    const other = await bench.open();
    expect(other.screen.join("\n")).not.toContain("mine");
  });
});
