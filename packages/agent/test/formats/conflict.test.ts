// Conflicts of real merges: read with :conflicts, resolved by address, after which git continues.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CallPaths } from "../../src/contract/paths/call-paths.ts";
import { SchemeRegistry } from "../../src/contract/seams/schemes.ts";
import { conflictRegions } from "../../src/files/edit/conflict-regions.ts";
import { Conflicts } from "../../src/files/formats/conflict/conflicts.ts";
import { conflictScheme } from "../../src/files/formats/conflict/view.ts";
import { readTool } from "../../src/tools/builtin/read/index.ts";
import { writeTool } from "../../src/tools/builtin/write/index.ts";
import { type Bench, toolBench } from "../call-tool.ts";
import { has } from "../programs.ts";

let bench: Bench;

const git = (...args: string[]): string =>
  execFileSync("git", args, {
    cwd: bench.dir,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env["PATH"],
      HOME: bench.dir,
      GIT_EDITOR: "true",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_AUTHOR_NAME: "a",
      GIT_AUTHOR_EMAIL: "a@example.com",
      GIT_COMMITTER_NAME: "a",
      GIT_COMMITTER_EMAIL: "a@example.com",
    },
  });

const put = (name: string, text: string) => writeFileSync(join(bench.dir, name), text);
const disk = (name: string) => readFileSync(join(bench.dir, name), "utf8");
const read = (path: string) => bench.text(readTool, { path });
const write = (path: string, content: string) => bench.text(writeTool, { path, content });

const BASE = "one\ntwo\nthree\n\nmiddle\n\nseven\neight\nnine\n";

/** Two conflicts in a.txt, one in b.txt. */
function merged(style: string): void {
  git("init", "-q", "-b", "main");
  const commit = (a: string, b: string, message: string) => {
    put("a.txt", a);
    put("b.txt", b);
    git("add", ".");
    git("commit", "-qm", message);
  };
  commit(BASE, "only\n", "base");
  git("checkout", "-qb", "feature");
  commit(BASE.replace("two", "TWO of feature").replace("eight", "EIGHT of feature"), "feature\n", "feature");
  git("checkout", "-q", "main");
  commit(BASE.replace("two", "two of main").replace("eight", "eight of main"), "main", "main");
  expect(() => git("-c", `merge.conflictStyle=${style}`, "merge", "feature")).toThrow();
}

const finishMerge = () => {
  git("diff", "--check");
  git("add", ".");
  git("merge", "--continue");
  expect(git("status", "--porcelain")).toBe("");
};

beforeEach(async () => {
  bench = await toolBench();
  const conflicts = new Conflicts();
  bench.services.conflicts = conflicts;
  bench.services.schemes = new SchemeRegistry({ conflict: conflictScheme(conflicts) });
});
afterEach(() => bench.close());

describe.skipIf(!has("git"))("conflicts of real merges", () => {
  it.each(["merge", "diff3", "zdiff3"])(
    "T-READ-9 T-WRITE-4 style %s: both sides are shown with an address, and git finishes the merge",
    async (style) => {
      merged(style);
      const view = await read("a.txt:conflicts");
      expect(view).toContain("a.txt has 2 unresolved conflicts.");
      const base = style === "merge" ? [] : ["--- base", "two"];
      const shown = view.split("\n").map((line) => line.replace(/^(--- base) \(.*\)$/, "$1"));
      const from = shown.findIndex((line) => line.startsWith("conflict://1 "));
      expect(shown.slice(from, from + 5 + base.length)).toEqual([
        `conflict://1 (a.txt, lines 2-${style === "merge" ? 6 : 8})`,
        "--- ours (HEAD)",
        "two of main",
        ...base,
        "--- theirs (feature)",
        "TWO of feature",
      ]);
      expect(view).not.toMatch(/<<<<<<<|>>>>>>>/);
      expect(await write("conflict://1", "two of both")).toMatch(
        /^Resolved conflict:\/\/1\. a\.txt has 1 left; read a\.txt:conflicts\.\nSnapshots:\n¶a\.txt#[0-9A-F]{4}$/,
      );
      expect(await read("conflict://2/theirs")).toContain("EIGHT of feature");
      expect(await write("conflict://2", "@theirs")).toContain("a.txt has no conflicts left.");
      await read("b.txt:conflicts");
      await write("conflict://3", "main\nfeature\n");
      expect(disk("a.txt")).toBe(BASE.replace("two", "two of both").replace("eight", "EIGHT of feature"));
      expect(disk("b.txt")).toBe("main\nfeature\n");
      finishMerge();
    },
  );

  it("T-WRITE-4 conflict://* resolves all of them at once, with a header per file", async () => {
    merged("diff3");
    await read("a.txt:conflicts");
    await read("b.txt:conflicts");
    const result = await write("conflict://*", "@ours\n@theirs\n");
    expect(result).toMatch(/Snapshots:\n¶a\.txt#[0-9A-F]{4}\n¶b\.txt#[0-9A-F]{4}$/);
    expect(disk("a.txt")).toContain("two of main\nTWO of feature\n");
    expect(disk("b.txt")).toBe("main\nfeature\n");
    finishMerge();
    await expect(write("conflict://*", "@ours")).rejects.toThrow("No conflict is open in this session.");
  });

  it("T-WRITE-4 all or nothing: when one of several has changed, no file is written", async () => {
    merged("merge");
    await read("a.txt:conflicts");
    await read("b.txt:conflicts");
    put("b.txt", disk("b.txt").replace("feature\n", "something else\n"));
    const before = disk("a.txt");
    await expect(write("conflict://1-3", "@ours")).rejects.toThrow(
      "conflict://3 is no longer in b.txt as it was shown: something has changed or resolved it. Read b.txt:conflicts again. Nothing was written.",
    );
    expect(disk("a.txt")).toBe(before);
    // Changes elsewhere in the file do not matter.
    put("a.txt", `new first line\n${before}`);
    await write("conflict://1,2", "@ours");
    expect(disk("a.txt")).toBe(
      `new first line\n${BASE.replace("two", "two of main").replace("eight", "eight of main")}`,
    );
  });

  it("T-READ-9 T-WRITE-4 what cannot be is refused in one line", async () => {
    merged("merge");
    await read("a.txt:conflicts");
    const refused = (path: string, content: string) => write(path, content).catch((error: Error) => error.message);
    expect(await refused("conflict://1/ours", "x")).toBe(
      "conflict://1/ours is read-only: it shows one side. Write to conflict://1. Nothing was written.",
    );
    expect(await refused("conflict://9", "x")).toBe(
      "There is no conflict 9 in this session. Read the file with :conflicts; it gives the numbers.",
    );
    expect(await refused("conflict://one", "x")).toContain("conflict://one is not a conflict address.");
    expect(await refused("conflict://1", "@base")).toContain("conflict://1 in a.txt has no base");
    expect(await refused("conflict://1", disk("a.txt"))).toContain("contains conflict markers");
    await write("conflict://1", "");
    expect(await refused("conflict://1", "x")).toContain("conflict://1 is already resolved.");
    expect(disk("a.txt").startsWith("one\nthree\n")).toBe(true);
    put("plain.txt", "nothing here\n");
    expect(await read("plain.txt:conflicts")).toBe("plain.txt has no unresolved conflicts.");
  });

  it("T-WRITE-4 what is judged and previewed is the file behind the number", async () => {
    merged("merge");
    await read("a.txt:conflicts");
    await read("b.txt:conflicts");
    const { signal } = new AbortController();
    const scope = { env: bench.env, services: bench.services, signal, paths: new CallPaths(bench.env, signal) };
    const args = { path: "conflict://*", content: "@ours" };
    expect(await writeTool.access?.(args, scope)).toEqual([
      { kind: "write", path: join(bench.dir, "a.txt") },
      { kind: "write", path: join(bench.dir, "b.txt") },
    ]);
    const before = disk("a.txt");
    const preview = await writeTool.preview?.(args, scope);
    expect(preview?.lines.map(({ text }) => text)).toContain("change a.txt");
    expect(preview?.shows).toEqual(["path", "content"]);
    expect(disk("a.txt")).toBe(before);
  });

  it("T-WRITE-4 two conflicts that read the same are told apart, and CRLF files keep their line ends", async () => {
    const region = "<<<<<<< a\r\nx\r\n=======\r\ny\r\n>>>>>>> b\r\n";
    put("crlf.txt", `first\r\n${region}between\r\n${region}last\r\n`);
    await read("crlf.txt:conflicts");
    await write("conflict://2", "second\nof two");
    expect(disk("crlf.txt")).toBe(`first\r\n${region}between\r\nsecond\r\nof two\r\nlast\r\n`);
    await write("conflict://1", "@theirs");
    expect(disk("crlf.txt")).toBe("first\r\ny\r\nbetween\r\nsecond\r\nof two\r\nlast\r\n");
  });
});

it("T-READ-9 T-WRITE-4 half a conflict is not called resolved", async () => {
  put("half.txt", "top\n<<<<<<< HEAD\nours\n=======\ntheirs\nend\n");
  const half = "half.txt has conflict markers without their counterparts on line 2. Resolve these with edit.";
  expect(await read("half.txt:conflicts")).toBe(half);
  const region = "<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n";
  put("half.txt", `${region}>>>>>>> left\n`);
  expect(await read("half.txt:conflicts")).toContain("counterparts on line 6.");
  expect(await write("conflict://1", "@ours")).toContain(
    "half.txt has conflict markers without their counterparts on line 2.",
  );
});

it("markers of another length, open regions and quoted markers are no conflicts", () => {
  expect(conflictRegions("<<<<<<< a\nx\n=======\ny\n")).toEqual([]);
  expect(conflictRegions("  <<<<<<< a\nx\n=======\ny\n>>>>>>> b\n")).toEqual([]);
  expect(conflictRegions("<<<<<<<\nx\n=======\ny\n>>>>>>>")).toMatchObject([
    { ours: { text: "x\n" }, theirs: { text: "y\n" }, start: 0, end: 5 },
  ]);
  const nested = "<<<<<<< a\nx\n||||||| base\n<<<<<<<<< a\ni\n=========\nj\n>>>>>>>>> b\n=======\ny\n>>>>>>> b\n";
  expect(conflictRegions(nested)).toMatchObject([
    { base: { text: "<<<<<<<<< a\ni\n=========\nj\n>>>>>>>>> b\n" }, end: 11 },
  ]);
  expect(conflictRegions(`<<<<<<< cut\n${nested}`)).toHaveLength(1);
});
