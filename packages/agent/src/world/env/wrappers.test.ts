import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { LocalEnvironment } from "./local.ts";
import { MemoryEnvironment } from "./memory.ts";
import type { ExecutionEnvironment } from "./types.ts";
import { type EnvLogEntry, LoggingEnvironment, ReadOnlyEnvironment, ScopedEnvironment } from "./wrappers.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "lathe-wrap-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let root: string;
let local: LocalEnvironment;
beforeEach(() => {
  root = mkdtempSync(join(folder, "t-"));
  mkdirSync(join(root, "in"));
  writeFileSync(join(root, "secret"), "outside");
  writeFileSync(join(root, "in/a.txt"), "inside needle");
  symlinkSync("../secret", join(root, "in/leak"));
  symlinkSync("../new", join(root, "in/dangling"));
  local = new LocalEnvironment({ cwd: root, baseEnv: process.env });
});

it("EE-01 environments of one folder have one identity, and so have those inside; files in memory have their own", () => {
  const again = new LocalEnvironment({ cwd: root, baseEnv: {} });
  expect(again.identity).toBe(local.identity);
  expect(new ScopedEnvironment(local, "in").identity).toBe(local.identity);
  expect(new LocalEnvironment({ cwd: join(root, "in"), baseEnv: {} }).identity).not.toBe(local.identity);
  expect(new MemoryEnvironment().identity).not.toBe(new MemoryEnvironment().identity);
});

describe("read-only", () => {
  it("EE-04 writing, deleting and moving are refused, reading and commands work", async () => {
    const env: ExecutionEnvironment = new ReadOnlyEnvironment(local);
    const refused = { code: "read_only", message: "Write operations are disabled in read-only mode" };
    await expect(env.writeFile("in/a.txt", "x")).rejects.toMatchObject(refused);
    await expect(env.deleteFile("in/a.txt")).rejects.toMatchObject(refused);
    await expect(env.moveFile("in/a.txt", "b")).rejects.toMatchObject(refused);
    expect(await env.readFile("in/a.txt")).toBe("inside needle");
    expect(await env.execCommand("cat in/a.txt", 10_000)).toMatchObject({ stdout: "inside needle", exitCode: 0 });
    await env.cleanup();
  });
});

describe("logging", () => {
  it("EE-04 tells of the command before, of code and duration after", async () => {
    const log: EnvLogEntry[] = [];
    const env = new LoggingEnvironment(local, (entry) => log.push(entry));
    await env.execCommand("exit 7", 10_000, { cwd: "in" });
    expect(log).toEqual([
      { kind: "command_start", command: "exit 7", cwd: join(root, "in"), background: false },
      {
        kind: "command_end",
        command: "exit 7",
        exitCode: 7,
        durationMs: expect.any(Number),
        timedOut: false,
        aborted: false,
      },
    ]);
    const server = await env.startProcess!(["cat", "a b"]);
    await server.exited;
    expect(log.slice(2)).toMatchObject([
      { kind: "command_start", command: "cat 'a b'", cwd: root, background: true },
      { kind: "command_end", command: "cat 'a b'", exitCode: 1, aborted: false },
    ]);
    await expect(env.startProcess!(["no-such-server"])).rejects.toMatchObject({ code: "unavailable" });
    expect(log.at(-1)).toMatchObject({ kind: "command_failed", command: "no-such-server" });
    await expect(env.execCommand("true", 10_000, { cwd: "gone" })).rejects.toMatchObject({ code: "not_found" });
    expect(log.at(-1)).toMatchObject({ kind: "command_failed", command: "true" });
    await env.cleanup();
  });
});

describe("scoped", () => {
  it("EE-04 paths are relative to the scope, results too, and nothing outside is reached", async () => {
    const env = new ScopedEnvironment(local, "in");
    await env.initialize();
    expect(env.workingDirectory()).toBe(join(root, "in"));
    expect(await env.readFile("a.txt")).toBe("inside needle");
    expect((await env.grep("needle", ".", {})).lines).toEqual(["a.txt:1:inside needle"]);
    expect((await env.glob("*.txt", ".")).paths).toEqual(["a.txt"]);
    expect((await env.execCommand("pwd", 10_000)).stdout).toBe(`${join(root, "in")}\n`);
    const outside = { code: "outside_root" };
    await expect(env.readFile("../secret")).rejects.toMatchObject(outside);
    await expect(env.readFile(join(root, "secret"))).rejects.toMatchObject(outside);
    await expect(env.readFile("leak")).rejects.toMatchObject(outside);
    await expect(env.writeFile("leak", "x")).rejects.toMatchObject(outside);
    await expect(env.moveFile("a.txt", "../b")).rejects.toMatchObject(outside);
    await expect(env.glob("../s*", ".")).rejects.toMatchObject(outside);
    await expect(env.glob("/etc/host*", ".")).rejects.toMatchObject(outside);
    await expect(env.writeFile("dangling", "x")).rejects.toMatchObject(outside);
    symlinkSync("..", join(root, "in/up"));
    symlinkSync("up/not/yet", join(root, "in/far"));
    await expect(env.writeFile("far", "x")).rejects.toMatchObject(outside);
    expect(existsSync(join(root, "new")) || existsSync(join(root, "not"))).toBe(false);
    expect(readFileSync(join(root, "secret"), "utf8")).toBe("outside");
    await local.cleanup();
  });

  it("EE-04 SB-02 D3 a scope that is a link out of the wrapped directory reaches nothing, one that leads inside works", async () => {
    mkdirSync(join(root, "elsewhere"));
    symlinkSync("../elsewhere", join(root, "in/out"));
    mkdirSync(join(root, "in/deep"));
    symlinkSync("deep", join(root, "in/alias"));
    const inner = new LocalEnvironment({ cwd: join(root, "in"), baseEnv: { PATH: process.env["PATH"] } });
    const env = new ScopedEnvironment(inner, "out");
    const outside = { code: "outside_root", path: join(root, "in/out") };
    await expect(env.initialize()).rejects.toMatchObject(outside);
    await expect(env.writeFile("x", "x")).rejects.toMatchObject(outside);
    await expect(env.readFile("x")).rejects.toMatchObject(outside);
    await expect(env.execCommand("touch x", 10_000)).rejects.toMatchObject(outside);
    await expect(env.startProcess!(["touch", "x"])).rejects.toMatchObject(outside);
    expect(readdirSync(join(root, "elsewhere"))).toEqual([]);
    const alias = new ScopedEnvironment(inner, "alias");
    await alias.initialize();
    await alias.writeFile("new/x", "through");
    await alias.moveFile("new/x", "y");
    expect(readFileSync(join(root, "in/deep/y"), "utf8")).toBe("through");
    await inner.cleanup();
  });

  it("EE-04 a scope that does not exist is refused at the start", async () => {
    await expect(new ScopedEnvironment(local, "gone").initialize()).rejects.toMatchObject({ code: "not_found" });
    await expect(new ScopedEnvironment(local, "secret").initialize()).rejects.toMatchObject({ code: "not_directory" });
  });
});

describe("local", () => {
  it("EE-02 roots confine files, through links too, also through one that points to nothing yet", async () => {
    const env = new LocalEnvironment({ cwd: join(root, "in"), baseEnv: {}, roots: [join(root, "in")] });
    const outside = { code: "outside_root" };
    expect(await env.readFile("a.txt")).toBe("inside needle");
    await env.writeFile("new/b.txt", "x");
    await expect(env.readFile("../secret")).rejects.toMatchObject(outside);
    await expect(env.readFile("leak")).rejects.toMatchObject(outside);
    await expect(env.glob("../s*", ".")).rejects.toMatchObject(outside);
    await expect(env.writeFile("dangling", "x")).rejects.toMatchObject(outside);
    symlinkSync("loop", join(root, "in/loop"));
    await expect(env.writeFile("loop", "x")).rejects.toMatchObject({ code: "not_found" });
  });

  it("EE-02 a write through a link changes the target and keeps the link", async () => {
    await local.writeFile("in/leak", "changed");
    expect(readlinkSync(join(root, "in/leak"))).toBe("../secret");
    expect(readFileSync(join(root, "secret"), "utf8")).toBe("changed");
    expect(await local.stat("in/leak")).toMatchObject({
      isSymlink: true,
      realPath: join(root, "secret"),
      kind: "file",
    });
    await local.deleteFile("in/leak");
    expect(await local.readFile("secret")).toBe("changed");
  });

  it("EE-02 initialize checks the directory", async () => {
    const env = (cwd: string) => new LocalEnvironment({ cwd, baseEnv: {} });
    await expect(env(join(root, "gone")).initialize()).rejects.toMatchObject({ code: "not_found" });
    await expect(env(join(root, "secret")).initialize()).rejects.toMatchObject({ code: "not_directory" });
    expect(() => env("relative")).toThrow("absolute");
  });
});

describe("memory", () => {
  it("EE-01 D-025 commands are unavailable unless the host answers them", async () => {
    const none = new MemoryEnvironment({ files: { a: "x" } });
    await expect(none.execCommand("ls", 1000)).rejects.toMatchObject({ code: "unavailable" });
    const result = { ...(await local.execCommand("true", 10_000)), stdout: "answered" };
    const some = new MemoryEnvironment({ exec: async (command) => ({ ...result, output: command }) });
    expect(await some.execCommand("ls", 1000)).toMatchObject({ stdout: "answered", output: "ls" });
    await local.cleanup();
  });
});
