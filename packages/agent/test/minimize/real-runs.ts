// Real programs that fail or succeed, in their own folder: the minimizer must cope with their output.

import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const REPOSITORY = resolve(import.meta.dirname, "../../../..");
const TESTS = 300;

export interface RealRun {
  readonly command: string;
  readonly output: string;
}

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), "lathe-minimize-"));
  symlinkSync(join(REPOSITORY, "node_modules"), join(dir, "node_modules"));
  return dir;
}

/** Both streams, as a shell tool gets them. */
export async function capture(dir: string, command: string): Promise<RealRun> {
  const env = { PATH: process.env["PATH"], HOME: dir, CI: "true", NO_COLOR: "1", GIT_CONFIG_NOSYSTEM: "1" };
  const options = { cwd: dir, env, maxBuffer: 64 << 20 };
  const bash = promisify(execFile);
  // The same program without npm, which takes longer to start than most of them run.
  const program = command.replace(/^npx /, "node_modules/.bin/");
  const ran = await bash("bash", ["-c", `( ${program} ) 2>&1`], options).catch((error: { stdout: string }) => error);
  return { command, output: ran.stdout };
}

const names = Array.from({ length: TESTS }, (_, n) => `adds the numbers of row ${n} to the sum`);

export async function vitestRun(isFailing: boolean): Promise<RealRun> {
  const dir = folder();
  const cases = names.map((name, n) => `it("${name}", () => { expect(${n} + 1).toBe(${n + 1}); });`);
  const failing = `it("keeps the total", () => { console.warn("stale rate"); expect({ total: 3 }).toEqual({ total: 4 }); });`;
  const tests = [`import { expect, it } from "vitest";`, ...cases, ...(isFailing ? [failing] : [])];
  writeFileSync(join(dir, "sum.test.ts"), tests.join("\n"));
  writeFileSync(join(dir, "vitest.config.ts"), "export default { test: { maxWorkers: 1 } };");
  return capture(dir, "npx vitest run --reporter=verbose");
}

export async function npmRun(isFailing: boolean): Promise<RealRun> {
  const dir = folder();
  const cases = names.map((name, n) => `test("${name}", () => assert.equal(${n} + 1, ${n + 1}));`);
  const failing = `test("keeps the total", () => assert.deepEqual({ total: 3 }, { total: 4 }));`;
  const head = `const test = require("node:test"); const assert = require("node:assert");`;
  writeFileSync(join(dir, "sum.test.js"), [head, ...cases, ...(isFailing ? [failing] : [])].join("\n"));
  writeFileSync(join(dir, "package.json"), JSON.stringify({ name: "rows", scripts: { test: "node --test" } }));
  return capture(dir, "npm test");
}

export async function tscRun(): Promise<RealRun> {
  const dir = folder();
  const wrong = Array.from({ length: 60 }, (_, n) => `export const v${n}: number = "text ${n}";`);
  writeFileSync(join(dir, "values.ts"), wrong.join("\n"));
  return capture(dir, "npx tsc --noEmit --listEmittedFiles --pretty false values.ts");
}

export async function unittestRun(isFailing: boolean): Promise<RealRun> {
  const dir = folder();
  const cases = names.map((_, n) => `    def test_row_${n}(self):\n        self.assertEqual(${n} + 1, ${n + 1})`);
  const failing = `    def test_total(self):\n        """The total is kept."""\n        self.assertEqual({"total": 3}, {"total": 4})`;
  const body = ["import unittest", "class Rows(unittest.TestCase):", ...cases, ...(isFailing ? [failing] : [])];
  writeFileSync(join(dir, "test_rows.py"), body.join("\n"));
  return capture(dir, "python3 -m unittest -v");
}

export async function gitRun(isFailing: boolean): Promise<RealRun> {
  const dir = folder();
  const work = join(dir, "work");
  mkdirSync(work);
  const git = "git -c user.name=a -c user.email=a@example.invalid";
  await capture(work, `git init -q -b main && echo one > same && git add . && ${git} commit -qm first`);
  for (const name of names.keys()) writeFileSync(join(work, `row-${name}.txt`), `${name}\n`);
  if (!isFailing) return capture(work, `git add -v . && ${git} commit -m rows`);
  await capture(work, `git checkout -qb other && echo two > same && ${git} commit -qam two && git checkout -q main`);
  await capture(work, `echo three > same && git add . && ${git} commit -qm three`);
  return capture(work, `${git} merge other; git checkout other; git push origin main`);
}
