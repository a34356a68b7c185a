// ast_grep and ast_edit in a session: found by tool search, run by every host.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type ExtensionBox, extensionBox } from "./extensions-kit.ts";
import { RpcHost } from "./rpc-host.ts";

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

it("T-AST-1 T-AST-2 an agent that only reads gets ast_grep without a search, and nothing that leaves a change pending", async () => {
  box.script(calls("task", { agent: "explore", context: "A small project.", tasks: [{ assignment: "Look around." }] }));
  await box.run(["--permission-mode", "full", "-p", "go"]);
  const child = box.server.requests.map(({ view }) => view.tools).find((tools) => !tools.includes("task"));
  expect(child).toContain("ast_grep");
  for (const name of ["ast_edit", "resolve", "search_tool_bm25"]) expect(child).not.toContain(name);
});

const MANY = process.env["LATHE_LONG"] === undefined ? 8 : 30;
const find = calls("search_tool_bm25", { query: "rewrite code structure" });
const rewrite = calls("ast_edit", { ops: [{ pat: "console.log($A)", out: "log($A)" }], paths: ["src"] });
const apply = calls("resolve", { action: "apply", reason: "it is right" });
const source = (n: number): string => `console.log(${n});\r\nkeep("console.log(${n})");\r\n`;
const read = (name: string): string => readFileSync(join(box.box.dir, name), "utf8");
const choices = () =>
  box.server.requests.map(({ body }) => (body as { tool_choice?: { name?: string } }).tool_choice?.name);

async function manyFiles(): Promise<void> {
  for (let n = 0; n < MANY; n++) await box.project(`src/f${n}.ts`, source(n));
}

it("T-AST-2 G-71 G-72 in print mode: the preview leaves many files as they are, the next request forces resolve and again after plain text, apply writes what git then shows, and rewind takes it back", async () => {
  await manyFiles();
  const git = (...args: string[]): string => execFileSync("git", args, { cwd: box.box.dir, encoding: "utf8" });
  git("init", "-q");
  git("-c", "core.autocrlf=false", "add", ".");
  let whilePending = "";
  const look = async (): Promise<void> => {
    whilePending = git("status", "--short");
  };
  box.script(find, rewrite, turn.text("I am done.", { before: look }), apply, turn.text("ok"));
  const run = await box.run(["--permission-mode", "full", "-p", "go"]);
  expect(run.stdout).toContain("ok");
  expect(whilePending).toContain("A  src/f0.ts");
  expect(whilePending).not.toContain("M ");
  expect(choices()).toEqual([undefined, undefined, "resolve", "resolve", undefined]);
  const [, preview, applied] = box.results().map(({ text }) => text);
  expect(preview).toMatch(
    new RegExp(
      `^Would make ${MANY} replacements in ${MANY} files:\\nsrc/f0\\.ts\\n-1:1 console\\.log\\(0\\)\\n\\+1:1 log\\(0\\)\\n`,
    ),
  );
  expect(preview).toContain(
    `[Nothing has been changed yet. Pending: ${MANY} replacements in ${MANY} files. Call \`resolve\` next`,
  );
  expect(applied).toBe(`Applied ${MANY} replacements in ${MANY} files.`);
  expect(git("diff", "--shortstat").trim()).toBe(`${MANY} files changed, ${MANY} insertions(+), ${MANY} deletions(-)`);
  expect(read("src/f7.ts")).toBe(source(7).replace("console.log", "log"));
  expect((await box.box.run(["rewind", "--undo"])).code).toBe(0);
  expect(git("diff", "--shortstat")).toBe("");
});

it("T-AST-2 G-71 a file that changes between preview and apply: an error, and no file is written; discard leaves all as it is", async () => {
  await manyFiles();
  const change = async (): Promise<void> =>
    writeFileSync(join(box.box.dir, "src/f3.ts"), source(3).replaceAll("\r\n", "\n"));
  const discard = calls("resolve", { action: "discard", reason: "no" });
  box.script(find, rewrite, { ...apply, before: change }, rewrite, discard, apply, turn.text("ok"));
  await box.run(["--permission-mode", "full", "-p", "go"]);
  const [, , stale, , discarded, nothing] = box.results().map(({ text }) => text);
  expect(stale).toBe("A file has changed since the preview. Nothing was written; call ast_edit again.");
  expect(discarded).toBe(`Discarded: ${MANY} replacements in ${MANY} files. Reason: no`);
  expect(nothing).toBe("No pending action to resolve. Nothing to apply or discard.");
  expect(read("src/f0.ts")).toBe(source(0));
});

it("T-AST-2 G-72 over RPC, applying is a question that shows the change and names the files; no leaves them as they are", async () => {
  await box.project("src/one.ts", source(1));
  box.script(find, rewrite, apply, turn.text("ok"));
  const host = new RpcHost(
    box.box.open(["--mode", "rpc", "--permission-mode", "ask", "--model", "anthropic/claude-sonnet-4-5"], box.env),
  );
  await host.wait("ready", ({ type }) => type === "ready");
  host.send({ type: "prompt", message: "go" });
  const asked = await host.wait("a question", ({ type }) => type === "extension_ui_request");
  expect(asked).toMatchObject({ method: "confirm", toolName: "resolve" });
  const text = JSON.stringify(asked);
  for (const part of ["apply: 1 replacement in 1 file", "change src/one.ts", "-console.log(1);", "+log(1);"])
    expect(text).toContain(part);
  expect(read("src/one.ts")).toBe(source(1));
  host.send({ type: "extension_ui_response", id: asked["id"], confirmed: false });
  await host.event("agent_end");
  expect(await host.finish()).toBe(0);
  expect(read("src/one.ts")).toBe(source(1));
});
