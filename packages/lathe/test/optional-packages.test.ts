// Without the packages that read shell text, nothing is taken for harmless.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Sandbox, sandbox } from "./command.ts";

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

it("without the shell grammar a harmless command is denied where nobody can be asked, and the line names the packages", async () => {
  expect((await box.run(["--model", "practice/basic", "-p", "run ls"])).code).toBe(0);
  const hook = join(box.home, "without-grammar.cjs");
  writeFileSync(hook, WITHOUT_GRAMMAR);
  const run = await box.run(["--model", "practice/basic", "-p", "run ls"], {
    env: { NODE_OPTIONS: `--require ${hook}` },
  });
  expect(run.code).toBe(4);
  expect(run.stdout).toContain("npm install web-tree-sitter @vscode/tree-sitter-wasm");
  expect(run.stdout).not.toContain("invoice");
});
