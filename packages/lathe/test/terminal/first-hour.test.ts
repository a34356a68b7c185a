// Keys that a newcomer presses first, at a real terminal.

import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, expect, it } from "vitest";
import { SONNET, TerminalBench } from "./bench.ts";
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
  await run.see("Press Ctrl+C again to leave.");
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
