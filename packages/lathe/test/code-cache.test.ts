// Compiled code is kept between starts. It may be missing, damaged or old: the command works and repairs it.

import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, it } from "vitest";
import { type Bench, bench } from "./models-kit.ts";

let b: Bench;
beforeEach(async () => {
  b = await bench();
  await rm(root()); // a link to compiled code that all tests share
});
afterEach(() => b.close());

const root = (): string => join(b.box.env["LATHE_HOME"] ?? "", "cache/code");
const run = (cwd = b.box.dir) =>
  b.box.runBuilt(["--no-session", "--model", "openai/gpt-5.2", "-p", "hi"], {
    cwd,
    env: { OPENAI_API_KEY: "k", OPENAI_BASE_URL: b.server.baseUrl("openai") },
  });

/** What a first start has left, for the tests that continue from there. */
let left: string | undefined;
afterAll(() => left && rm(left, { recursive: true }));

async function haveStarted(): Promise<void> {
  if (left !== undefined) return cp(left, root(), { recursive: true });
  expect(await run()).toMatchObject({ code: 0, stdout: "ok\n" });
  left = await mkdtemp(join(tmpdir(), "lathe-compiled-"));
  await cp(root(), left, { recursive: true });
  return undefined;
}

async function startCache(): Promise<string> {
  const files = await readdir(root(), { recursive: true });
  const name = files.find((file) => /^[^/]+\/start-[^/]+\.bin$/.test(file));
  if (name === undefined) throw new Error(`no cache of the start pack among ${files.join(", ")}`);
  return join(root(), name);
}

it("a start leaves its compiled code behind, and one that is whole is not written again", async () => {
  await haveStarted();
  const file = await startCache();
  // On a busy machine, a start may take another path than the previous one, and adds what it compiled.
  const written = [(await stat(file)).mtimeMs];
  for (let starts = 0; starts < 3 && written.at(-1) !== written.at(-2); starts++) {
    expect(await run()).toMatchObject({ code: 0, stdout: "ok\n", stderr: "" });
    written.push((await stat(file)).mtimeMs);
  }
  expect(written.at(-1)).toBe(written.at(-2));
});

it("a start inside a repository adds what it compiled to the code that one outside left", async () => {
  await haveStarted();
  const file = await startCache();
  const outside = (await stat(file)).mtimeMs;
  const repository = join(b.box.dir, "repository");
  for (const name of ["objects", "refs"]) await mkdir(join(repository, ".git", name), { recursive: true });
  await writeFile(join(repository, ".git/HEAD"), "ref: refs/heads/main\n");
  expect(await run(repository)).toMatchObject({ code: 0, stdout: "ok\n", stderr: "" });
  const inside = (await stat(file)).mtimeMs;
  expect(inside).not.toBe(outside);
  expect(await run()).toMatchObject({ code: 0 });
  expect((await stat(file)).mtimeMs).toBe(inside);
});

it.each([
  ["empty", () => Buffer.alloc(0)],
  ["cut off", (whole: Buffer) => whole.subarray(0, whole.length / 2)],
  ["something else", () => Buffer.from("not compiled code")],
])("compiled code that is %s is put aside without a word and replaced", async (_, damage) => {
  await haveStarted();
  const file = await startCache();
  const whole = await readFile(file);
  await writeFile(file, damage(whole));
  expect(await run()).toMatchObject({ code: 0, stdout: "ok\n", stderr: "" });
  // Two runs need not compile exactly the same functions.
  expect((await stat(file)).size).toBeGreaterThan(whole.length / 2);
});

it("compiled code of versions that nobody runs any more goes; that of others stays", async () => {
  const old = join(root(), "0.0.1-v20.0.0-arm64");
  const other = join(root(), "0.0.2-v22.0.0-arm64");
  for (const folder of [old, other]) {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "start-0.js.bin"), "");
  }
  const longAgo = new Date(Date.now() - 40 * 24 * 3600 * 1000);
  await utimes(old, longAgo, longAgo);
  expect(await run()).toMatchObject({ code: 0 });
  const left = await readdir(root());
  expect(left).not.toContain("0.0.1-v20.0.0-arm64");
  expect(left.sort()).toEqual(["0.0.2-v22.0.0-arm64", dirname((await startCache()).slice(root().length + 1))].sort());
});
