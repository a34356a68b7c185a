// An interview at a terminal: its questions are dialogs like any other, the status line says where it stands (G-10, G-101, G-105).

import { existsSync, readdirSync, readFileSync } from "node:fs";
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

const interview = (args: object) => turn.calls([{ name: "interview", args: args as never }]);
const spec = (): string => {
  const folder = join(bench.box.dir, ".lathe/specs");
  return existsSync(folder) ? readFileSync(join(folder, readdirSync(folder)[0] ?? ""), "utf8") : "";
};

it.each([
  ["screen", SONNET],
  ["plain", [...SONNET, "--plain"]],
] as const)("G-10 G-101 G-105 an interview in the mode %s, from the wish to the file", async (mode, args) => {
  bench.server.push(
    interview({
      op: "ask",
      question: "Which colour?",
      options: [{ label: "red" }, { label: "blue", description: "like the sea" }],
    }),
    interview({ op: "spec", title: "A wall", text: "A blue wall." }),
    turn.text("All written."),
  );
  const run = await bench.open(args);
  run.type(`/skill:deep-interview a wall${KEY.enter}`);
  await run.see(mode === "plain" ? /like the sea[\s\S]*Which colour\?/ : /Which colour\?[\s\S]*like the sea/);
  await run.see(mode === "plain" ? /own words/ : /Esc to stop/);
  if (mode === "screen") await run.see("deep-interview: asking");
  run.type(mode === "plain" ? `2${KEY.enter}` : "2");
  // What is to be accepted is shown.
  await run.see(/Accept the specification "A wall"\?/);
  await run.see("A blue wall.");
  expect(bench.server.requests.at(-1)?.text).toContain("The user answered: blue");
  await run.see(mode === "plain" ? /Reject it[\s\S]*own words/ : /Reject it[\s\S]*Esc to stop/);
  run.type(mode === "plain" ? `1${KEY.enter}` : "1");
  await run.see("All written.");
  expect(spec()).toBe("# A wall\n\nA blue wall.\n");
  run.type(`/workflow${KEY.enter}`);
  await run.see("Workflow deep-interview: accepted (ended)");
});
