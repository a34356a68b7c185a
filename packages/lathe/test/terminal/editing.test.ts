// Typing at a real terminal: long pastes, wide and right-to-left text, small windows, no colours.

import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, expect, it } from "vitest";
import { SONNET, TerminalBench } from "./bench.ts";
import { KEY } from "./emulator.ts";

let bench: TerminalBench;
beforeEach(async () => {
  bench = await TerminalBench.open();
});
afterEach(() => bench.close());

it("10,000 pasted lines are one mark, and are sent as they were", async () => {
  bench.server.push(turn.text("read it all"));
  const run = await bench.open();
  const lines = Array.from({ length: 10_000 }, (_, i) => `line ${i} of the paste`).join("\n");
  run.type("look: ");
  run.paste(lines);
  await run.see(/look: \[paste/);
  run.type(KEY.enter);
  await run.see("read it all");
  expect(bench.lastMessageText(0)).toContain(`look: ${lines}`);
  expect(bench.server.requests).toHaveLength(1);
});

it("CJK, emoji and right-to-left text are edited by what a person sees as characters", async () => {
  bench.server.push(turn.text("read all of it"));
  const run = await bench.open();
  run.type("日本語 👩‍👩‍👧 e\u0301 שלום");
  await run.see(/日本語 👩‍👩‍👧 é? ?.*שלום/u);
  for (let i = 0; i < 6; i++) run.type(KEY.backspace);
  run.type(`x${KEY.backspace}`);
  run.type(KEY.enter);
  await run.see("read all of it");
  expect(bench.lastMessageText(0)).toMatch(/日本語 👩‍👩‍👧$/u);
});

it("a window of 40 by 10 has the answer, the composer and the question on it", async () => {
  bench.server.push(
    turn.calls([{ name: "shell", args: { command: "X=1 env echo hi" } }]),
    turn.text("all is well here"),
  );
  const run = await bench.open(SONNET, { columns: 40, rows: 10 });
  run.type(`go${KEY.enter}`);
  const asked = await run.see(/y {2}Yes, this once[\s\S]*Esc to stop/);
  expect(asked.length).toBeLessThanOrEqual(10);
  run.type("y");
  await run.see(/all is well here[\s\S]*Ask for a change/);
});

it("a window made narrower and wider keeps what was typed and answered", async () => {
  bench.server.push(turn.text("a sentence that is longer than a narrow window and shorter than a wide one"));
  const run = await bench.open(SONNET, { columns: 100, rows: 30 });
  run.type(`go${KEY.enter}`);
  await run.see("shorter than a wide one");
  run.type("words enough to fill more than one row of a narrow window");
  await run.see("of a narrow window");
  run.resize(36, 30);
  await run.see(/words enough to fill[\s\S]*narrow window/);
  run.resize(100, 30);
  await run.see("❯ words enough to fill more than one row of a narrow window");
  expect(run.all.join(" ").replace(/\s+/g, " ")).toContain("a sentence that is longer than a narrow window");
});

it("NO_COLOR: not one colour is written", async () => {
  bench.server.push(turn.text("# Title\n\n`code` and **bold**"));
  const run = await bench.open(SONNET, { env: { NO_COLOR: "1" } });
  run.type(`go${KEY.enter}`);
  await run.see("Title");
  expect(run.raw).not.toMatch(/\x1b\[[\d;]*(?:3[0-8]|4[0-8]|9\d|10\d)[;m]/);
});

it("commands and their arguments are completed, files by their names", async () => {
  bench.server.push(turn.text("seen"));
  const run = await bench.open();
  await writeFile(join(bench.box.dir, "letters.txt"), "a\n");
  run.type("/permis");
  await run.see("/permissions");
  run.type(`${KEY.tab}re`);
  await run.see(/❯ read-only/);
  run.type(KEY.enter);
  await run.see("Permissions: read-only");
  run.type("see @lett");
  await run.see(/❯ letters\.txt/);
  run.type(KEY.tab);
  await run.see("see @letters.txt");
  run.type(KEY.enter);
  await run.see("seen");
  expect(bench.lastMessageText(0)).toContain('<file path="letters.txt">');
});

it("IU-01 addresses are completed after their scheme", async () => {
  const run = await bench.open();
  run.type("see lathe://key");
  await run.see(/❯ lathe:\/\/keys\.md +Keys/);
  run.type(KEY.tab);
  await run.see("see lathe://keys.md");
});

it("display.plain in the settings means lines that are only ever added to", async () => {
  await bench.box.run(["config", "set", "display.plain", "true"]);
  bench.server.push(turn.text("spoken"));
  const run = await bench.open(SONNET, { columns: 120 });
  run.type(`go${KEY.enter}`);
  await run.see(/Working\.\nspoken\nDone after/);
  expect(run.raw.match(/\x1b\[[^A-Za-z]*[ABCDGHJKf]/g)).toBeNull();
});

it("TU-04 with the ascii preset the whole screen is ASCII", async () => {
  await bench.box.run(["config", "set", "symbolPreset", "ascii"]);
  const markdown = "# Head\n\n- a\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\n> quote\n\n---\n\n- [x] done\n";
  bench.server.push(turn.calls([{ name: "shell", args: { command: "seq 1 30" } }]), turn.text(markdown));
  const run = await bench.open([...SONNET, "--permission-mode", "full"], { columns: 60 });
  run.type(`go${KEY.enter}`);
  await run.seeAnywhere(/earlier lines[\s\S]*done[\s\S]* in, /);
  run.type("/");
  await run.see("/model");
  expect(run.all.join("\n")).not.toMatch(/[^\n -~]/);
});

it("G-110 a key that is given to two actions is said once, with what it does", async () => {
  const file = join(bench.box.env["HOME"] ?? "", ".lathe", "keybindings.json");
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify({ "app.help": "f5", "app.todo": "f5", "tui.editor.undo": "ctrl+k" }));
  const run = await bench.open(SONNET, { columns: 100 });
  await run.see('Keybinding "f5" is app.todo; app.help cannot use it too.');
  expect(run.all.filter((text) => text.startsWith("Keybinding"))).toHaveLength(1);
});

it("vim keys: Escape leaves insert mode, which is seen, and stops the work when nothing is typed", async () => {
  await bench.box.run(["config", "set", "editor.vim", "true"]);
  bench.server.push(turn.text("done"));
  const run = await bench.open();
  run.type("one two three");
  run.type(KEY.escape);
  await run.see(/─ normal ─/);
  run.type("0dw");
  await run.see(/^❯ two three$/m);
  run.type(`A!${KEY.enter}`);
  await run.see("done");
  expect(bench.lastMessageText(0)).toMatch(/two three!$/);
  run.type(`!sleep 600${KEY.enter}`);
  await run.see("● $ sleep 600");
  run.type(KEY.escape);
  await run.see("$ sleep 600 · cancelled");
});
