// The tool `debug` in whole runs: found by tool search, approved like the command it runs, and absent when it is off.

import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type ExtensionBox, extensionBox } from "./extensions-kit.ts";

let box: ExtensionBox;
beforeEach(async () => {
  box = await extensionBox();
  await box.project("sum.cjs", "let sum = 0;\nfor (const n of [1, 2])\n  sum += n;\n");
});
afterEach(() => box.remove());

const TRACE = { action: "trace", program: "sum.cjs", at: "sum.cjs:3", show: ["n", "sum"] };
const calls = (name: string, args: object) => turn.calls([{ name, args, id: name }]);

it("T-DBG-1 T-SUB-1 the tool is found by the search, and a trace is one call", async () => {
  box.script(calls("search_tool_bm25", { query: "debugger" }), calls("debug", TRACE), turn.text("ok"));
  await box.run(["--permission-mode", "full", "-p", "go"]);
  expect(JSON.stringify(box.server.requests[0]?.body)).toContain("- debug: Runs a program under a debugger");
  expect(box.results().at(-1)?.text).toBe(
    "sum.cjs:3: 2 hits; the program exited with code 0.\nhit | n | sum\n1   | 1 | 0\n2   | 2 | 1",
  );
}, 60_000);

it("T-DBG-1 a launch is judged like the command, an expression like `node -e`; bad input is one line", async () => {
  const denied = await box.box.run(["tool", "debug", JSON.stringify(TRACE), "--permission-mode", "ask"]);
  expect(denied).toMatchObject({ code: 1, stdout: expect.stringContaining("debug needs permission (exec)") });
  const looked = await box.box.run(["tool", "debug", '{"action":"sessions"}', "--permission-mode", "ask"]);
  expect(looked).toMatchObject({ code: 0, stdout: "No program is being debugged.\n" });
  const noPlace = await box.box.run(["tool", "debug", JSON.stringify({ ...TRACE, at: "sum.cjs" })]);
  expect(noPlace.stdout).toBe("`at` is a file and a line: `src/sum.py:12`.\n");
  const nothing = await box.box.run(["tool", "debug", JSON.stringify({ action: "continue" })]);
  expect(nothing.stdout).toBe("No program is being debugged. Call `launch` first.\n");
}, 60_000);

it("T-DBG-1 debug.enabled off takes the tool away", async () => {
  await box.user("config.yml", "debug:\n  enabled: false\n");
  box.script(turn.text("ok"));
  await box.run(["-p", "go"]);
  expect(JSON.stringify(box.server.requests[0]?.body)).not.toContain("- debug:");
}, 60_000);
