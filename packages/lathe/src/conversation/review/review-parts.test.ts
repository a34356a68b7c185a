// Parts of a review without a model: ranges in a real repository, the order of findings, verdicts, and the reviewers'
// context.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EXIT } from "../../platform/usage/exit.ts";
import { changeOf } from "./change.ts";
import { applyVerdicts, criticTasks } from "./critic.ts";
import { checkFindings } from "./findings.ts";
import { withGit } from "./git.ts";
import { nothingToReview, reviewReport, reviewText } from "./report.ts";
import { reviewedFiles } from "./reviewed-files.ts";
import { sharedContext } from "./shared-context.ts";
import type { Change, Finding } from "./types.ts";

describe("ranges", () => {
  let top: string;
  beforeEach(() => {
    top = realpathSync(mkdtempSync(join(tmpdir(), "lathe-review-")));
    git("init", "-q", "-b", "main", "--template=");
  });
  afterEach(() => rmSync(top, { recursive: true, force: true }));
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], { cwd: top })
      .toString()
      .trim();
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(top, path)), { recursive: true });
    writeFileSync(join(top, path), text);
  };
  const commit = (path: string, text: string): string => {
    write(path, text);
    git("add", "-A");
    git("commit", "-qm", path);
    return git("rev-parse", "HEAD");
  };
  const workspace = (cwd = top) => ({ cwd, env: { PATH: process.env["PATH"], HOME: top } });
  const seen = async (range?: string, cwd = top) => {
    const { title, files, end } = await changeOf(workspace(cwd), range);
    return { title, paths: files.map(({ path }) => path), end };
  };

  it("without a range: what is not committed, untracked files too; when there is nothing, the branch since main", async () => {
    write("first.txt", "before any commit\n");
    expect(await seen()).toMatchObject({ paths: ["first.txt"] });
    commit("a.txt", "one\n");
    git("checkout", "-qb", "topic");
    expect(await seen()).toMatchObject({ paths: [] });
    const head = commit("b.txt", "two\n");
    expect(await seen()).toEqual({ title: "main...HEAD", paths: ["b.txt"], end: head });
    write("a.txt", "changed\n");
    write("d/new one.txt", "fresh\nwithout an end");
    write(".gitignore", "ignored\n");
    write("ignored", "x");
    const open = await changeOf(workspace(join(top, "d")), undefined);
    expect(open.files.map(({ path, added, removed }) => [path, added, removed])).toEqual([
      [".gitignore", 1, 0],
      ["a.txt", 1, 1],
      ["d/new one.txt", 2, 0],
    ]);
    expect(open.files[1]!.diff).toContain("-one\n+changed\n");
    expect(open.files[2]!.diff).toContain("+fresh\n+without an end\n\\ No newline");
  });

  it("of files that hold keys, new, changed, deleted and renamed, only the names are shown", async () => {
    const secret = "hunter2hunter2";
    for (const path of [".env", "old.pem", "moved.key.pem", "a.txt"])
      write(path, `${path}\n${"more\n".repeat(20)}${secret}-0\n`);
    git("add", "-A");
    git("commit", "-qm", "first");
    write(".env", `${secret}-1\n`);
    write("new/server.pem", `${secret}-2\n`);
    write("a.txt", "shown\n");
    rmSync(join(top, "old.pem"));
    git("mv", "moved.key.pem", "moved.txt");
    write("moved.txt", `moved.key.pem\n${"more\n".repeat(20)}${secret}-3\n`);
    const change = await changeOf(workspace(), undefined);
    expect(change.files.map(({ path, holdsKeys }) => [path, holdsKeys ?? false])).toEqual([
      [".env", true],
      ["a.txt", false],
      ["moved.txt", true],
      ["new/server.pem", true],
      ["old.pem", true],
    ]);
    expect(change.note).toContain("keys or passwords: .env, moved.txt, new/server.pem, old.pem.");
    const context = sharedContext("{{files}}\n{{diff}}", change, { total: 10_000, file: 5_000 }, true);
    expect(context).toContain("- .env (not shown: it may hold keys or passwords)");
    expect(context).toContain("+shown");
    expect(context.replaceAll(`-${secret}-0`, "").includes(secret)).toBe(false);
    expect((await changeOf(workspace(), "HEAD")).note).toBe(change.note);
  });

  it("a range, everything since a name, one commit", async () => {
    const first = commit("a.txt", "one\n");
    git("checkout", "-qb", "topic");
    const second = commit("b.txt", "two\n");
    git("checkout", "-q", "main");
    const other = commit("c.txt", "three\n");
    git("checkout", "-q", "topic");
    write("open.txt", "x\n");
    expect(await seen("main...HEAD")).toEqual({ title: "main...HEAD", paths: ["b.txt"], end: second });
    expect(await seen("main..")).toMatchObject({ paths: ["b.txt", "c.txt"], end: second });
    expect(await seen("..main")).toMatchObject({ paths: ["b.txt", "c.txt"], end: other });
    expect(await seen("main")).toEqual({ title: "changes since main", paths: ["b.txt", "open.txt"], end: undefined });
    expect(await seen("HEAD")).toMatchObject({ paths: ["open.txt"] });
    expect(await seen(second.slice(0, 8))).toMatchObject({ paths: ["b.txt"], end: second });
    expect(await seen("HEAD^!")).toMatchObject({ paths: ["b.txt"], end: second });
    expect(await seen(first)).toMatchObject({ paths: ["a.txt"], end: first });
  });

  it("what names no commit is refused, whatever git could make of it", async () => {
    commit("a.txt", "one\n");
    for (const range of ["nope", "--output=x", "HEAD..nope", "0123456789abcdef", "HEAD:a.txt", "a b"])
      await expect(seen(range)).rejects.toThrow(/There is no commit/);
  });

  it("renamed, deleted and binary files, and programs that the repository names for diffs are not run", async () => {
    write("old.txt", "some text\nthat stays\nthe same\n");
    write("gone.txt", "bye\n");
    writeFileSync(join(top, "bytes"), Buffer.from([0, 1, 2]));
    commit(".gitattributes", "*.txt diff=evil\n");
    git("mv", "old.txt", "new.txt");
    git("config", "diff.evil.textconv", `touch ${top}/ran; cat`);
    git("config", "diff.external", `touch ${top}/ran`);
    git("config", "core.fsmonitor", `touch ${top}/ran`);
    rmSync(join(top, "gone.txt"));
    writeFileSync(join(top, "bytes"), Buffer.from([0, 3]));
    const { files } = await changeOf(workspace(), undefined);
    expect(files.map(({ path, added }) => [path, added])).toEqual([
      ["bytes", undefined],
      ["gone.txt", 0],
      ["new.txt", 0],
    ]);
    expect(files[1]!.diff).toContain("-bye");
    expect(files[2]!.diff).toContain("rename from old.txt");
  });

  it("a quote is not looked for outside of the repository", async () => {
    commit("a.txt", "one\n");
    symlinkSync("/etc/passwd", join(top, "link"));
    const change: Change = { top, title: "", base: "HEAD", end: undefined, files: [] };
    await withGit(workspace(), top, async (reader) => {
      const finding = { title: "t", body: "b", line: 1, quote: "root:x:0:0" };
      const reported = ["link", "../x", "/etc/passwd", join(top, "gone"), ""].map((path) => ({ ...finding, path }));
      const { findings, dropped } = await checkFindings([{ lens: "a", reported }], top, reviewedFiles(reader, change));
      expect(findings).toEqual([]);
      expect(dropped.map((one) => one.dropped)).toEqual(Array(5).fill("no_place"));
    });
  });
});

describe("findings", () => {
  const text = Array.from({ length: 30 }, (_, n) => `line number ${n + 1} of it`).join("\n");
  const reported = (line: number, more = {}) => ({
    title: `Number ${line}`,
    body: "Why.",
    path: "a.ts",
    line,
    quote: `line number ${line} of it`,
    ...more,
  });
  const check = (all: Record<string, readonly object[]>) =>
    checkFindings(
      Object.entries(all).map(([lens, found]) => ({ lens, reported: found as never })),
      "/top",
      async (path) => (path === "a.ts" ? text : undefined),
    );

  it("have the same order, whichever lens reported them first", async () => {
    const all = [3, 1, 2].flatMap((line) => [
      reported(line, { priority: "P1" }),
      reported(line + 10, { priority: "P0" }),
    ]);
    const one = await check({ a: all, b: [] });
    const other = await check({ a: [...all].reverse(), b: [] });
    expect(one.findings.map(({ line }) => line)).toEqual([11, 12, 13, 1, 2, 3]);
    expect(other).toEqual(one);
  });

  it("two problems of one line stay two", async () => {
    const { findings } = await check({
      a: [reported(1, { title: "Off by one in the loop" })],
      b: [reported(1, { title: "Password is logged" })],
    });
    expect(findings).toHaveLength(2);
  });

  it("need a verdict of the critic that was asked; another one's, none and nonsense are no yes", async () => {
    const { findings } = await check({ a: Array.from({ length: 14 }, (_, n) => reported(n + 1)) });
    expect(criticTasks(findings)).toHaveLength(2);
    const yes = (...numbers: number[]) =>
      JSON.stringify({ verdicts: numbers.map((finding) => ({ finding, holds: true, reason: "Yes." })) });
    const { confirmed, dropped } = applyVerdicts(findings, [yes(1, 2, 13), "nonsense"]);
    expect(confirmed.map(({ line }) => line)).toEqual([1, 2]);
    expect(dropped).toHaveLength(12);
    // Nothing was confirmed, but no critic has said that nothing is wrong.
    const lenses = [{ name: "critic-1", status: "completed", findings: 0 } as const];
    const change: Change = { top: "/top", title: "x", base: "b", end: undefined, files: [] };
    const silent = { ...nothingToReview(change), lenses, dropped: dropped.slice(0, 1) };
    expect(reviewReport(silent, null)).toMatchObject({ status: "incomplete", exitCode: EXIT.provider });
    expect(reviewText(silent)).toContain(": incomplete, no findings, 1 not judged.");
    const twice = JSON.stringify({
      verdicts: [
        { finding: 1, holds: true, reason: "Yes." },
        { finding: 2, holds: true, reason: "The same.", duplicate_of: 1 },
        { finding: 3, holds: false, reason: "No." },
      ],
    });
    const merged = applyVerdicts(findings.slice(0, 3), [twice]);
    expect(merged.confirmed).toHaveLength(1);
    expect(merged.dropped.map((one) => one.dropped)).toEqual(["duplicate", "refuted"]);
  });

  it("nothing that a model or a file says steers the terminal", () => {
    const finding: Finding = {
      path: "a\u001b[2J",
      line: 1,
      quote: "q\u001b]0;x\u0007",
      priority: "P0",
      title: "\u001b[31m",
      body: "b",
      lenses: ["a"],
    };
    const change: Change = { top: "/top", title: "x", base: "b", end: undefined, files: [] };
    const shown = reviewText({
      change,
      view: "none",
      findings: [{ ...finding, reason: "r\u001b" }],
      dropped: [],
      lenses: [],
      usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
      cost: 0,
    });
    expect(shown).not.toContain("\u001b");
  });
});

describe("what reviewers are told", () => {
  it("is bounded: large diffs are named, with the command that shows them", () => {
    const file = (path: string, size: number) => ({
      path,
      added: 1,
      removed: 0,
      diff: `diff ${path} ${"x".repeat(size)}\n`,
    });
    const change: Change = {
      top: "/top",
      title: "a..b",
      base: "1".repeat(40),
      end: "2".repeat(40),
      files: [file("a", 100), file("huge", 5000), file("c", 600), file("d", 600), { path: "binary" }],
    };
    const told = sharedContext("{{files}}\n{{diff}}", change, { total: 1000, file: 900 }, true);
    expect(told.length).toBeLessThan(1800);
    expect(told).toContain("diff a xxx");
    expect(told).toContain("diff c xxx");
    expect(told).not.toContain("diff huge");
    expect(told).toContain(
      "`git diff 111111111111 222222222222 -- <path>` shows the change:\n- huge (+1 -0)\n- d (+1 -0)",
    );
    expect(told).toContain("- binary (binary or large)");
  });
});
