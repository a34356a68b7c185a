// The one suite for every environment: same calls, same results.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ExecutionEnvironment } from "../src/world/env/types.ts";
import { LoggingEnvironment, ReadOnlyEnvironment, ScopedEnvironment } from "../src/world/env/wrappers.ts";
import { commandConformance } from "./command-conformance.ts";
import { portConformance } from "./port-conformance.ts";
import { processConformance } from "./process-conformance.ts";
import { shellConformance } from "./shell-conformance.ts";
import { toolConformance } from "./tool-conformance.ts";

export interface EnvironmentUnderTest {
  /** Its working directory is empty. */
  readonly env: ExecutionEnvironment;
  /** Sets a file's time; in whole seconds, which every environment can tell apart. */
  setMtime(path: string, seconds: number): Promise<void>;
  readonly dispose: () => Promise<void>;
}

/** The suite in parts, so that a wrapper is tested only for what it implements itself. */
export type Part = "files" | "search" | "tools" | "links" | "commands" | "processes" | "ports" | "shells";

/** Describes an environment, which decides how much of the suite it needs. */
export interface EnvironmentKind {
  readonly commands: boolean;
  /**
   * The parts that it implements itself. It passes the rest on to another environment, which is tested in full. In a
   * long run every part is tried.
   */
  readonly overrides?: readonly Part[];
  /** The parts that it inherits from a class that another environment tests too. In a long run every part is tried. */
  readonly inherits?: readonly Part[];
  /** Every call is a round trip, so some cases try fewer ways, except in a long run. */
  readonly far?: boolean;
  /** Without a process for each connection. */
  readonly connects?: "directly";
}

const isLong = process.env["LATHE_LONG"] !== undefined;

/**
 * Replaces `it` for a part that another environment is responsible for. This is no skip, because there is nothing to
 * test.
 */
const nothing = (_title: string, _test: () => Promise<void>, _timeout?: number): void => {};

export function environmentConformance(make: () => Promise<EnvironmentUnderTest>, kind: EnvironmentKind): void {
  const { commands } = kind;
  const wraps = kind.overrides !== undefined && !isLong;
  const covers = (part: Part): boolean =>
    isLong || ((kind.overrides?.includes(part) ?? true) && !kind.inherits?.includes(part));
  const files = covers("files") ? it : nothing;
  const search = covers("search") ? it : nothing;
  const links = covers("links") ? it : nothing;
  const far = kind.far === true && !isLong;
  let test: EnvironmentUnderTest;
  let env: ExecutionEnvironment;
  beforeAll(async () => {
    test = await make();
    env = test.env;
    await env.initialize();
  });
  afterAll(async () => {
    await env?.cleanup();
    await test?.dispose();
  });
  const at = (path: string) => `${env.workingDirectory()}/${path}`;

  files("EE-01 D-020 D-025 text: written with parents, read whole and by lines, endings kept", async () => {
    await env.writeFile("text/deep/a.txt", "one\r\ntwo\nthree");
    expect(await env.readFile("text/deep/a.txt")).toBe("one\r\ntwo\nthree");
    expect(await env.readFile(at("text/deep/a.txt"), 2)).toBe("two\nthree");
    expect(await env.readFile("text/deep/a.txt", 1, 2)).toBe("one\r\ntwo\n");
    expect(await env.readFile("text/deep/a.txt", 9)).toBe("");
    await env.writeFile("text/deep/a.txt", "");
    expect(await env.readFile("text/deep/a.txt")).toBe("");
  });

  files("EE-01 D-020 K-17 bytes: every value, ranges, a name with blanks, quotes and letters from afar", async () => {
    const bytes = new Uint8Array(70_000).map((_, i) => (i * 7) % 256);
    const name = `bytes/it's "a" $name; ü 日本 *.bin`;
    await env.writeFile(name, bytes);
    expect(Buffer.compare(await env.readBytes(name), bytes)).toBe(0);
    expect([...(await env.readBytes(name, { start: 3, end: 6 }))]).toEqual([21, 28, 35]);
    expect([...(await env.readBytes(name, { start: 69_999, end: 80_000 }))]).toEqual([bytes[69_999]]);
    expect((await env.readBytes(name, { start: 5, end: 5 })).length).toBe(0);
    expect((await env.stat(name))?.size).toBe(70_000);
  });

  files(
    "EE-01 D-020 K-17 megabytes arrive whole, and so does a file whose name fills what a name may have",
    async () => {
      const bytes = new Uint8Array(3_000_001).map((_, i) => (i * 31 + (i >> 8)) % 256);
      const name = `bytes/${"文".repeat(85)}`;
      await env.writeFile(name, bytes);
      expect(Buffer.compare(await env.readBytes(name), bytes)).toBe(0);
      expect(await env.readBytes(name, { start: 600_000, end: 2_600_000 })).toHaveLength(2_000_000);
    },
  );

  files("EE-01 D-020 stat: kind, size, mode, time, real path", async () => {
    await env.writeFile("stat/file", "12345");
    await test.setMtime("stat/file", 1_500_000_000);
    expect(await env.stat("stat/file")).toMatchObject({
      kind: "file",
      size: 5,
      mode: 0o644,
      mtimeMs: 1_500_000_000_000,
      realPath: at("stat/file"),
      isSymlink: false,
    });
    expect(await env.stat("stat")).toMatchObject({ kind: "directory", realPath: at("stat") });
    expect(await env.stat("stat/none")).toBeUndefined();
    expect(await env.stat("stat/file/below")).toBeUndefined();
    expect([await env.fileExists("stat/file"), await env.fileExists("stat"), await env.fileExists("nope")]).toEqual([
      true,
      true,
      false,
    ]);
  });

  files("EE-01 D-020 a write keeps the mode of the file unless it is told another", async () => {
    await env.writeFile("mode/run.sh", "#!/bin/sh\n", { mode: 0o755 });
    expect((await env.stat("mode/run.sh"))?.mode).toBe(0o755);
    await env.writeFile("mode/run.sh", "#!/bin/sh\nexit 0\n");
    expect((await env.stat("mode/run.sh"))?.mode).toBe(0o755);
    await env.writeFile("mode/run.sh", "", { mode: 0o600 });
    expect((await env.stat("mode/run.sh"))?.mode).toBe(0o600);
    await env.writeFile("mode/run.sh", "#!/bin/sh\n", { executable: true });
    expect((await env.stat("mode/run.sh"))?.mode).toBe(0o700);
    expect((await env.listDirectory("mode", 1)).map(({ name }) => name)).toEqual(["run.sh"]);
    await env.writeFile("mode/new.sh", "#!/bin/sh\n", { executable: true });
    expect((await env.stat("mode/new.sh"))?.mode).toBe(0o755);
  });

  files("EE-01 D-020 K-17 delete and move, onto a file and into new directories", async () => {
    await env.writeFile("move/a", "A");
    await env.writeFile("move/b", "B");
    await env.moveFile("move/a", "move/new/dir/c");
    expect(await env.readFile("move/new/dir/c")).toBe("A");
    await env.moveFile("move/new/dir/c", "move/b");
    expect(await env.readFile("move/b")).toBe("A");
    await env.moveFile("move/new", "move/old");
    expect(await env.stat("move/old/dir")).toMatchObject({ kind: "directory" });
    await env.deleteFile("move/b");
    expect(await env.fileExists("move/b")).toBe(false);
  });

  files("EE-01 D-020 listing: sorted, a directory before its content, to the depth asked", async () => {
    await env.writeFile("list/b.txt", "22");
    await env.writeFile("list/a/x/deep.txt", "333");
    await env.writeFile("list/a.txt", "1");
    await env.writeFile("list/.hidden", "");
    const listed = await env.listDirectory("list", 1);
    for (const { mtimeMs } of listed) if (mtimeMs !== undefined) expect(mtimeMs).toBeGreaterThan(1e12);
    expect(listed.map(({ mtimeMs: _, ...entry }) => entry)).toEqual([
      { name: ".hidden", isDir: false, size: 0 },
      { name: "a", isDir: true },
      { name: "a.txt", isDir: false, size: 1 },
      { name: "b.txt", isDir: false, size: 2 },
    ]);
    expect((await env.listDirectory(at("list"), 3)).map(({ name }) => name)).toEqual([
      ".hidden",
      "a",
      "a/x",
      "a/x/deep.txt",
      "a.txt",
      "b.txt",
    ]);
  });

  files("EE-01 failures name the path and say what kind they are", async () => {
    await env.writeFile("fail/file", "x");
    const none = { code: "not_found", path: at("fail/none"), message: expect.stringContaining(at("fail/none")) };
    await expect(env.readFile("fail/none")).rejects.toMatchObject(none);
    await expect(env.readBytes("fail/none")).rejects.toMatchObject(none);
    await expect(env.deleteFile("fail/none")).rejects.toMatchObject(none);
    await expect(env.moveFile("fail/none", "fail/other")).rejects.toMatchObject(none);
    await expect(env.listDirectory("fail/none", 1)).rejects.toMatchObject(none);
    await expect(env.readFile("fail")).rejects.toMatchObject({ code: "is_directory" });
    await expect(env.writeFile("fail", "x")).rejects.toMatchObject({ code: "is_directory" });
    await expect(env.deleteFile("fail")).rejects.toMatchObject({ code: "is_directory" });
    await expect(env.listDirectory("fail/file", 1)).rejects.toMatchObject({ code: "not_directory" });
    await expect(env.readFile("fail/file/below")).rejects.toMatchObject({ code: "not_directory" });
    await expect(env.writeFile("fail/file/below", "x")).rejects.toMatchObject({ code: "not_directory" });
    expect(await env.readFile("fail/file")).toBe("x");
  });

  search("TL-05 D-020 grep: same lines, limits and errors", async () => {
    await env.writeFile("grep/.gitignore", "skip/\n");
    await env.writeFile("grep/skip/a.ts", "needle skipped\n");
    await env.writeFile("grep/b.ts", "zero\nneedle one\nneedle two\n");
    await env.writeFile("grep/a/c.md", "a Needle\n");
    await env.writeFile("grep/bin", "needle\0");
    expect(await env.grep("needle", "grep", {})).toMatchObject({
      lines: ["grep/b.ts:2:needle one", "grep/b.ts:3:needle two"],
      truncated: false,
    });
    expect(await env.grep("needle", "grep", { caseInsensitive: true, maxResults: 2 })).toMatchObject({
      lines: ["grep/a/c.md:1:a Needle", "grep/b.ts:2:needle one"],
      truncated: true,
    });
    expect((await env.grep("one", "grep/b.ts", { before: 1, after: 1 })).lines).toEqual([
      "grep/b.ts-1-zero",
      "grep/b.ts:2:needle one",
      "grep/b.ts-3-needle two",
    ]);
    expect((await env.grep("needle", "grep", { mode: "count", globFilter: "*.ts" })).lines).toEqual(["grep/b.ts:2"]);
    await env.writeFile("grep/.dot/d.ts", "first\r\nneedle dot\r\n");
    const found = await env.grep("needle", "grep", { hidden: true, gitignore: false, perFile: 1, before: 1 });
    expect(found.files.map(({ path, lines }) => [path, ...lines.map(({ number }) => number)])).toEqual([
      ["grep/.dot/d.ts", 1, 2],
      ["grep/b.ts", 1, 2],
      ["grep/skip/a.ts", 1],
    ]);
    const across = await env.grep("first\\nneedle|zero\nneedle", "grep", { hidden: true, multiline: true });
    expect(across.lines).toEqual([
      "grep/.dot/d.ts:1:first",
      "grep/.dot/d.ts:2:needle dot",
      "grep/b.ts:1:zero",
      "grep/b.ts:2:needle one",
    ]);
    expect((await env.grep("needle", "grep/b.ts", { within: [{ first: 3 }] })).lines).toEqual([
      "grep/b.ts:3:needle two",
    ]);
    await expect(env.grep("(", "grep", {})).rejects.toMatchObject({ code: "bad_pattern" });
    await expect(env.grep("x", "grep/none", {})).rejects.toMatchObject({ code: "not_found" });
  });

  search("TL-06 D-020 glob: three files touched in known order, newest first", async () => {
    for (const name of ["a.ts", "b.ts", "deep/c.ts", "deep/d.md"]) await env.writeFile(`glob/${name}`, "");
    await test.setMtime("glob/a.ts", 2000);
    await test.setMtime("glob/b.ts", 3000);
    await test.setMtime("glob/deep/c.ts", 2500);
    expect((await env.glob("**/*.ts", "glob")).paths).toEqual(["glob/b.ts", "glob/deep/c.ts", "glob/a.ts"]);
    expect(await env.glob("*.ts", "glob", { maxResults: 1 })).toEqual({ paths: ["glob/b.ts"], truncated: true });
    await env.writeFile("glob/.gitignore", "b.ts\n.gitignore\n");
    await env.writeFile("glob/.dot", "");
    await test.setMtime("glob/.dot", 1000);
    expect((await env.glob("*", "glob", { directories: true })).paths).toEqual([
      "glob/a.ts",
      "glob/.dot",
      "glob/deep/",
    ]);
    const all = await env.glob("*.*", "glob", { gitignore: false, hidden: false });
    expect(all.paths).toEqual(["glob/b.ts", "glob/a.ts"]);
  });

  (covers("tools") ? it : nothing)(
    "D-025 EE-01 the tools give the same results over every environment",
    async () => {
      await toolConformance(env, { commands, few: far || wraps });
    },
    120_000,
  );

  it("EE-01 wrappers have the identity of what they wrap", async () => {
    const wrapped = new ReadOnlyEnvironment(new LoggingEnvironment(new ScopedEnvironment(env, "."), () => {}));
    expect(env.identity).toMatch(/./);
    expect(wrapped.identity).toBe(env.identity);
  });

  // No skip: an environment without commands has nothing to conform to here.
  if (!commands) {
    it("EE-01 a port is refused where nothing can run", async () => {
      const refusal = { code: "unavailable", message: expect.stringMatching(/^Port 80 cannot be reached: .*memory/) };
      await expect(env.connect(80)).rejects.toMatchObject(refusal);
    });
    return;
  }

  if (covers("processes"))
    describe("two-way processes", () => processConformance(() => env, { wraps, blocks: isLong ? 400 : 100 }));
  if (covers("ports"))
    describe("ports", () => portConformance(() => env, isLong || kind.connects === "directly" ? 50 : 4));
  if (covers("shells")) describe("shells", () => shellConformance(() => env));

  if (!covers("commands") && !covers("links")) return;
  describe("commands", () =>
    commandConformance(() => env, { commanded: covers("commands") ? it : nothing, links, at, wraps, far }));
}
