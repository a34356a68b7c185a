// Keys that a newcomer presses first, at a real terminal.

import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, expect, it } from "vitest";
import { has } from "../../../agent/test/programs.ts";
import { BUILT, SONNET, TerminalBench } from "./bench.ts";
import { KEY } from "./emulator.ts";

let bench: TerminalBench;
beforeEach(async () => {
  bench = await TerminalBench.open();
});
afterEach(() => bench.close());

it("a question mark in an empty prompt lists the keys; another key between two Ctrl+C keeps the session", async () => {
  const run = await bench.open();
  run.type("?");
  await run.see(/Keys: change them in keybindings\.json[\s\S]*q close/);
  run.type("q");
  await run.see((screen) => !screen.includes("q close"));
  run.type("why?");
  await run.see("❯ why?");
  run.type(KEY.ctrl("c"));
  await run.see("Press Ctrl+C again to quit.");
  run.type("x");
  await run.see("❯ x");
  run.type(KEY.backspace);
  await run.see(/❯ Ask for/);
  run.type(KEY.ctrl("c"));
  run.type("still here");
  await run.see("❯ still here");
});

it("a running command says which key sends it to the background", async () => {
  const command = "until test -e go; do read -rt 0.1 < <(:); done";
  bench.server.push(turn.calls([{ name: "shell", args: { command } }]), turn.text("done"));
  const run = await bench.open([...SONNET, "--permission-mode", "full"], { columns: 120 });
  run.type(`go${KEY.enter}`);
  await run.see(/Running until[\s\S]*ctrl\+b to background/);
  await writeFile(join(bench.box.dir, "go"), "");
  await run.see("done");
  expect(existsSync(join(bench.box.dir, "go"))).toBe(true);
});

it("a word that is a command of other agents is not sent without a yes", async () => {
  const run = bench.start(["web"], BUILT);
  await run.see(/Lathe has no command "web"\. Try: lathe serve\.[\s\S]*Send "web" to the model\? \[y\/N\]/);
  run.type(`n${KEY.enter}`);
  await run.exited;
  expect(bench.server.requests).toHaveLength(0);
});

it("/settings turns vim keys on at once, and says when another setting takes effect", async () => {
  const run = await bench.open();
  run.type(`/settings editor.vim true${KEY.enter}`);
  await run.seeAnywhere("editor.vim = true, from now on.");
  run.type("abc");
  await run.see("abc");
  run.type(KEY.escape);
  await run.see("─ normal ─");
  run.type("0x");
  await run.see(/❯ bc/);
  run.type("ddi");
  run.type(`/settings terminal.title false${KEY.enter}`);
  await run.seeAnywhere("terminal.title = false, from the next start on.");
  run.type(`/settings maxOutputTokens 1000${KEY.enter}`);
  await run.seeAnywhere("maxOutputTokens = 1000, from the next session on.");
});

it("/rewind says of each message how many files its work changed", async () => {
  const write = (file_path: string, id: string) =>
    turn.calls([{ name: "write_file", args: { file_path, content: "x" }, id }]);
  bench.server.push(write("a.txt", "toolu_1"), write("b.txt", "toolu_2"), turn.text("both"), turn.text("nothing"));
  const run = await bench.open();
  run.type(`make two${KEY.enter}`);
  await run.see("both");
  run.type(`and now?${KEY.enter}`);
  await run.see("nothing");
  run.type(`/rewind${KEY.enter}`);
  await run.see(/make two +2 files[\s\S]*and now\? +no files/);
});

it.skipIf(!has("bwrap", "nsenter"))(
  "the sandbox is named in the start line and by /status (needs bwrap, nsenter)",
  async () => {
    const run = await bench.open([...SONNET, "--sandbox"], { columns: 120 });
    await run.seeAnywhere(/lathe \S+ · anthropic\/claude-sonnet-4-5 · .* · sandbox · \/help/);
    run.type(`/status${KEY.enter}`);
    await run.seeAnywhere(/sandbox +on: commands write only in this folder and reach no network/);
  },
);
