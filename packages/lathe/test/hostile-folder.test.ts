// Folders prepared by an attacker: a run in them works, or says in one line what is wrong.

import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Sandbox, sandbox } from "./command.ts";

let box: Sandbox;
beforeEach(async () => {
  box = await sandbox({ sample: true });
});
afterEach(() => box.remove());

const PREPARED: readonly (readonly [string, (path: string) => void])[] = [
  ["a pipe", (path) => execFileSync("mkfifo", [path])],
  ["a link in a circle", (path) => symlinkSync(path.slice(path.lastIndexOf("/") + 1), path)],
  ["a link to an endless device", (path) => symlinkSync("/dev/zero", path)],
  ["an over-long file", (path) => writeFileSync(path, `gitdir: ${"x".repeat(200_000)}`)],
];

/** The gate tries half of them: each in the place of two files, each file with two of them. */
const inGate = (row: number, column: number): boolean =>
  process.env["LATHE_LONG"] !== undefined || (row + column) % 2 === 0;

it.each(
  [".git", ".gitignore", "AGENTS.md", ".env"].flatMap((name, row) =>
    PREPARED.filter((_, column) => inGate(row, column)).map(([what, make]) => ({ name, what, make })),
  ),
)(
  "D3 $what in the place of $name: a run goes through",
  async ({ name, make }) => {
    make(join(box.dir, name));
    const run = await box.run(["--model", "practice/basic", "-p", "show src/invoice.js"]);
    expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining("subtotal") });
    const found = await box.run(["tool", "grep", JSON.stringify({ pattern: "function subtotal" })]);
    expect(found.stdout).toBe("src/invoice.js:5:export function subtotal(items) {\n");
    const read = await box.run(["tool", "read_file", JSON.stringify({ file_path: name })]);
    expect(read.stdout.length).toBeGreaterThan(0);
    expect(read.code).toBeLessThan(2);
  },
  60_000,
);

it.each(
  PREPARED.slice(0, 3).flatMap(([what, make], row) =>
    ["auth.json", "config.yml", "trust.json"]
      .filter((_, column) => inGate(row, column))
      .map((name) => ({ what, make, name })),
  ),
)(
  "D3 $what in the place of $name of one's own is named in one line",
  async ({ name, make }) => {
    mkdirSync(box.env["LATHE_HOME"]!, { recursive: true });
    make(join(box.env["LATHE_HOME"]!, name));
    const run = await box.run(["--model", "openai/gpt-5.2", "-p", "hi"]);
    expect(run.code).toBe(2);
    expect(run.stderr).toMatch(new RegExp(`^lathe: Cannot read .*${name}: .*\\n$`));
  },
  60_000,
);
