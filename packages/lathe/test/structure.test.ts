// ast_grep and ast_edit as a session uses them: found by the search for tools, run by every host.

import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type ExtensionBox, extensionBox } from "./extensions-kit.ts";

let box: ExtensionBox;
beforeEach(async () => {
  box = await extensionBox();
  await box.project("a.ts", `console.log(1);\nconst s = "console.log(2)"; // console.log(3)\n`);
  await box.project("b.py", "console.log(4)\n");
});
afterEach(() => box.remove());

const calls = (name: string, args: object) => turn.calls([{ name, args, id: name }]);

it("T-AST-1 lathe tool runs ast_grep: calls are found in TypeScript and Python, strings and comments are not", async () => {
  const run = await box.box.run(["tool", "ast_grep", JSON.stringify({ pat: "console.log($A)" })]);
  expect(run.stdout).toBe("¶a.ts\n*1:console.log(1);\n\n¶b.py\n*1:console.log(4)\n");
  expect(run.code).toBe(0);
});

it("T-AST-1 T-SUB-1 a built-in tool waits behind the search: its name alone leads there, and what was found can be called", async () => {
  const grep = calls("ast_grep", { pat: "console.log($A)", paths: ["*.ts"] });
  box.script(grep, calls("search_tool_bm25", { query: "search code structure" }), grep, turn.text("ok"));
  const run = await box.run(["-p", "go"]);
  expect(run.stdout).toContain("ok");
  const offered = box.server.requests.map(({ view }) => view.tools.includes("ast_grep"));
  expect(offered).toEqual([false, false, true, true]);
  expect(JSON.stringify(box.server.requests[0]?.body)).toContain("- ast_grep: Searches code by its structure.");
  const [hidden, , found] = box.results().map(({ text }) => text);
  expect(hidden).toContain("The tool ast_grep exists but is not loaded. Call search_tool_bm25");
  expect(found).toBe("¶a.ts\n*1:console.log(1);");
});

it("T-SUB-1 with tools.discoveryMode off, built-in tools are all offered from the start, and nothing is searched for", async () => {
  await box.user("config.yml", "tools:\n  discoveryMode: off\n");
  await box.run(["-p", "go"]);
  const [first] = box.server.requests.map(({ view }) => view.tools);
  expect(first).toContain("ast_grep");
  expect(first).not.toContain("search_tool_bm25");
});
