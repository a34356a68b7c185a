// Without the packages that parse shell text, no command counts as harmless.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Sandbox, sandbox } from "./command.ts";
import { RpcHost } from "./rpc-host.ts";

let box: Sandbox;
beforeEach(async () => {
  box = await sandbox({ sample: true });
});
afterEach(() => box.remove());

const WITHOUT_GRAMMAR = `
const Module = require("node:module");
const resolve = Module._resolveFilename;
Module._resolveFilename = function (name, ...rest) {
  if (!/tree-sitter/.test(name)) return resolve.call(this, name, ...rest);
  throw Object.assign(new Error("Cannot find module '" + name + "'"), { code: "MODULE_NOT_FOUND" });
};`;

/** A preload under which none of the packages that read shell text can be found. */
function withoutGrammar(): string {
  const hook = join(box.home, "without-grammar.cjs");
  writeFileSync(hook, WITHOUT_GRAMMAR);
  return `--require ${hook}`;
}

it("without the shell grammar a harmless command is denied where nobody can be asked, and the line names the packages", async () => {
  expect((await box.run(["--model", "practice/basic", "-p", "run ls"])).code).toBe(0);
  const run = await box.run(["--model", "practice/basic", "-p", "run ls"], {
    env: { NODE_OPTIONS: withoutGrammar() },
  });
  expect(run.code).toBe(4);
  expect(run.stdout).toContain("npm install web-tree-sitter @vscode/tree-sitter-wasm");
  expect(run.stdout).not.toContain("invoice");
});

it("without the shell grammar a harmless command is asked about where a host can answer", async () => {
  const command = ["--mode", "rpc", "--model", "practice/basic"];
  const host = new RpcHost(box.start(command, { NODE_OPTIONS: withoutGrammar() }));
  await host.wait("ready", ({ type }) => type === "ready");
  host.send({ type: "prompt", message: "run ls" });
  const asked = await host.wait("a question", ({ type }) => type === "extension_ui_request");
  expect(asked).toMatchObject({ method: "confirm", toolName: "bash", arguments: { command: "ls" } });
  host.send({ type: "extension_ui_response", id: asked["id"], confirmed: true });
  await host.event("agent_end");
  expect(await host.finish()).toBe(0);
});
