import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { isAlive, until } from "../../../test/alive.ts";
import { OUTPUT_LIMIT } from "./capture.ts";
import { monotonicClock } from "./clock.ts";
import { findMarked, ownerMark } from "./marks.ts";
import { Processes } from "./processes.ts";
import { type RunRequest, timeoutNotice } from "./requests.ts";
import { shellArgv } from "./shell-argv.ts";

const processes = new Processes();
afterEach(() => processes.cleanup());

const ENV = { PATH: "/usr/local/bin:/usr/bin:/bin" };
const run = (command: string, options: Partial<RunRequest> = {}) =>
  processes.run({ argv: shellArgv(command), cwd: tmpdir(), env: ENV, timeoutMs: 60_000, ...options });

it("TL-04 EE-02 exit code, both streams apart and as they came, duration", async () => {
  // Two pipes do not tell which was written to first, so the command continues only when we have what it wrote.
  const cwd = mkdtempSync(join(tmpdir(), "lathe-p-"));
  execFileSync("mkfifo", ["seen"], { cwd });
  const said = ["echo out", "echo err >&2", "echo end"].map((line) => `${line}; read -r <&3`).join("; ");
  const seen: Promise<void>[] = [];
  const result = await run(`exec 3<> seen; ${said}; sleep 0.1; exit 3`, {
    cwd,
    onOutput: () => seen.push(writeFile(join(cwd, "seen"), "\n")),
  });
  await Promise.all(seen);
  expect(result).toMatchObject({
    stdout: "out\nend\n",
    stderr: "err\n",
    output: "out\nerr\nend\n",
    outputBytes: 12,
    truncated: false,
    exitCode: 3,
    timedOut: false,
    aborted: false,
  });
  expect(result.durationMs).toBeGreaterThanOrEqual(100);
  expect(result.signal).toBeUndefined();
});

it("TL-04 a command that ends by a signal says which", async () => {
  expect(await run("kill -USR1 $$")).toMatchObject({ exitCode: -1, signal: "SIGUSR1" });
});

it("TL-04 standard input is closed: a program that asks gets nothing instead of waiting", async () => {
  expect(await run("cat; read -r line; echo code=$?")).toMatchObject({ stdout: "code=1\n", exitCode: 0 });
});

it("TL-04 output streams while the command runs, characters whole", async () => {
  const chunks: string[] = [];
  const result = await run("printf '\\303'; sleep 0.1; printf '\\251\\360\\237'; sleep 0.1; printf '\\230\\200!'", {
    onOutput: (chunk, stream) => chunks.push(`${stream}:${chunk}`),
  });
  expect(result.stdout).toBe("é😀!");
  expect(chunks).toEqual(["stdout:é", "stdout:😀!"]);
});

it("TL-04 TR-04 D-023 the timeout text is exact", () => {
  expect(timeoutNotice(10_000)).toBe(
    "[ERROR: Command timed out after 10000ms. Partial output is shown above.\n" +
      "You can retry with a longer timeout by setting the timeout_ms parameter.]",
  );
});

it("TL-04 TR-04 D-023 a command that ignores SIGTERM is killed two seconds after its timeout, children included", async () => {
  const asked: number[] = [];
  const clock = {
    ...monotonicClock,
    after: (ms: number, fn: () => void) => {
      asked.push(ms);
      return monotonicClock.after(ms, fn);
    },
  };
  const own = new Processes({ clock });
  const command = `bash -c 'trap "" TERM; sleep 60' & trap "" TERM; echo started; sleep 60`;
  const result = await own.run({ argv: shellArgv(command), cwd: "/", env: ENV, timeoutMs: 2_000 });
  expect(result).toMatchObject({
    stdout: "started\n",
    timedOut: true,
    aborted: false,
    exitCode: -1,
    signal: "SIGKILL",
  });
  expect(result.durationMs).toBeGreaterThanOrEqual(4000);
  expect(asked[0]).toBe(2_000);
  expect(await findMarked(ownerMark(own.owner))).toEqual([]);
  await own.cleanup();
});

it("TL-04 abort ends the command and says so; a signal that is aborted already starts nothing", async () => {
  const abort = new AbortController();
  const result = await run("echo ready; sleep 60", { signal: abort.signal, onOutput: () => abort.abort() });
  expect(result).toMatchObject({ stdout: "ready\n", aborted: true, timedOut: false, signal: "SIGTERM" });
  const file = join(mkdtempSync(join(tmpdir(), "lathe-p-")), "ran");
  expect(await run(`touch ${file}`, { signal: abort.signal })).toMatchObject({ aborted: true, exitCode: -1 });
  expect(() => readFileSync(file)).toThrow();
});

it("TL-04 an abort between two steps of a start ends the command all the same", async () => {
  for (let steps = 0; steps < 12; steps++) {
    const own = new Processes();
    const abort = new AbortController();
    const result = own.run({ argv: shellArgv("sleep 60"), cwd: "/", env: ENV, timeoutMs: 0, signal: abort.signal });
    for (let step = 0; step < steps; step++) await undefined;
    abort.abort();
    expect(await result, `after ${steps} steps`).toMatchObject({ aborted: true, exitCode: -1 });
    await own.cleanup();
  }
});

it("TL-04 TR-04 a command that ignores SIGTERM is killed also when we stood still for longer than all patience", async () => {
  // The code that ends a process checks once, and then the machine stops our process for a minute.
  let stoodStillMs = 0;
  const clock = {
    now: () => monotonicClock.now() + stoodStillMs,
    after: (ms: number, fn: () => void) =>
      monotonicClock.after(ms, () => {
        stoodStillMs += 60_000;
        fn();
      }),
  };
  const own = new Processes({ clock });
  const abort = new AbortController();
  const result = await own.run({
    ...{ argv: shellArgv(`trap "" TERM; echo started; sleep 60`), cwd: "/", env: ENV, timeoutMs: 0 },
    ...{ signal: abort.signal, onOutput: () => abort.abort() },
  });
  expect(result).toMatchObject({ stdout: "started\n", aborted: true, signal: "SIGKILL" });
  const daemon = await own.run({
    ...{ argv: shellArgv(`trap "" TERM; sleep 60 >/dev/null 2>&1 & echo $!`), cwd: "/", env: ENV, timeoutMs: 0 },
  });
  expect(await own.endLeftBehind()).toBeGreaterThan(0);
  expect(isAlive(Number(daemon.stdout))).toBe(false);
  await own.cleanup();
});

it("TL-04 EH-03 abort ends the command here also when the far side cannot be reached", async () => {
  const abort = new AbortController();
  const endFirst = () => Promise.reject(new Error("connection lost"));
  const result = run("echo ready; sleep 60", { signal: abort.signal, endFirst, onOutput: () => abort.abort() });
  expect(await result).toMatchObject({ stdout: "ready\n", aborted: true, signal: "SIGTERM" });
});

it("TR-04 a time limit longer than a timer can be is not taken for none at all", async () => {
  expect(await run("sleep 0.1", { timeoutMs: 2 ** 32 })).toMatchObject({ exitCode: 0, timedOut: false });
});

it("TL-04 the mark of a command does not show in what it sees: environment, functions, startup file, level", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "lathe-p-")), "startup");
  writeFileSync(file, "echo startup\n");
  const env = { ...ENV, BASH_ENV: file, "odd.name": "1", "BASH_FUNC_hi%%": "() { echo hi; }" };
  const result = await run("hi; echo $SHLVL $0 $#; env | grep -c odd.name; env | grep -c ^LATHE_", { env });
  expect(result.output).toBe("startup\nhi\n1 /bin/bash 0\n1\n2\n");
  const plain = await run("echo $SHLVL $0 $#; env | grep -c ^LATHE_", { env: { ...ENV, BASH_ENV: file } });
  expect(plain.output).toBe("startup\n1 /bin/bash 0\n2\n");
});

it("TL-04 a daemon that holds the pipe does not block the call, lives on, and ends with cleanup", async () => {
  const result = await run("(while :; do echo tick; sleep 0.02; done) & echo $!; exit 0", { timeoutMs: 15_000 });
  expect(result).toMatchObject({ exitCode: 0, timedOut: false });
  const pid = Number(/\d+/.exec(result.stdout)![0]);
  expect(isAlive(pid)).toBe(true);
  await run("sleep 0.3");
  expect(isAlive(pid)).toBe(true);
  await processes.cleanup();
  expect(isAlive(pid)).toBe(false);
});

it("N1 what finished commands have left is ended, whatever it has dropped; what still runs stays", async () => {
  const quiet = "sleep 600 > /dev/null 2>&1 & echo $!";
  const left = [`setsid ${quiet}`, `env -i setsid ${quiet}`, `trap '' TERM; ${quiet}`];
  const daemons = await Promise.all(left.map(async (command) => Number((await run(command)).stdout)));
  const job = processes.start(`${quiet}; wait`, { argv: shellArgv(`${quiet}; wait`), cwd: tmpdir(), env: ENV });
  await until(() => job.read(0).text.includes("\n"));
  const child = Number(job.read(0).text);
  expect(await processes.endLeftBehind()).toBeGreaterThanOrEqual(daemons.length);
  expect(daemons.map(isAlive)).toEqual([false, false, false]);
  expect([isAlive(child), job.running]).toEqual([true, true]);
  expect(await processes.endLeftBehind()).toBe(0);
  expect(isAlive(child)).toBe(true);
});

it("TL-04 K-13 endless output is bounded in memory and whole in the spill", async () => {
  let spilled = 0;
  const result = await run("yes | head -c 20000000; echo err >&2", {
    spill: { write: (chunk) => (spilled += chunk.length) },
  });
  expect(result).toMatchObject({ outputBytes: 20_000_004, truncated: true, stderr: "err\n", exitCode: 0 });
  expect(spilled).toBe(20_000_004);
  expect(Buffer.byteLength(result.stdout)).toBeLessThan(OUTPUT_LIMIT + 100);
  expect(result.stdout).toContain("bytes omitted");
});

it("TL-04 a missing directory, a missing program and a zero byte are named", async () => {
  await expect(run("true", { cwd: "/no/such/dir" })).rejects.toMatchObject({ code: "not_found", path: "/no/such/dir" });
  await expect(run("true", { cwd: "/dev/null" })).rejects.toMatchObject({ code: "not_directory", path: "/dev/null" });
  await expect(run("", { argv: ["/no/such/program"] })).rejects.toMatchObject({ code: "unavailable" });
  await expect(run("echo a\0b")).rejects.toMatchObject({ code: "io" });
  await expect(run(`: ${"x".repeat(200_000)}`)).rejects.toMatchObject({
    message: expect.stringContaining("script file"),
  });
});

it("EE-02 background commands: output by offset, status, stop", async () => {
  const job = processes.start("n", {
    argv: shellArgv("for n in 1 2 3; do echo line $n; done; sleep 60"),
    cwd: "/",
    env: ENV,
  });
  await until(() => job.read().next === 21);
  expect(job.read()).toEqual({ text: "line 1\nline 2\nline 3\n", next: 21, missed: 0 });
  expect(job.read(14)).toEqual({ text: "line 3\n", next: 21, missed: 0 });
  expect(job.running).toBe(true);
  await job.stop();
  expect(job.running).toBe(false);
  expect(await job.done).toMatchObject({ aborted: true, exitCode: -1 });
});

it("EE-02 a background command keeps the end of a long output and says what is missing", async () => {
  const job = processes.start("n", { argv: shellArgv("yes | head -c 5000000; echo end"), cwd: "/", env: ENV });
  expect(await job.done).toMatchObject({ exitCode: 0 });
  const { text, next, missed } = job.read();
  expect(next).toBe(5_000_004);
  expect(missed + Buffer.byteLength(text)).toBe(next);
  expect(text.endsWith("y\nend\n")).toBe(true);
  expect(text.length).toBeLessThan(2 * OUTPUT_LIMIT);
});

it("EE-02 EH-03 cleanup during three running sleeps leaves none, twice is fine", async () => {
  const own = new Processes();
  const start = () => own.run({ argv: shellArgv("sleep 60 & sleep 60"), cwd: "/", env: ENV, timeoutMs: 0 });
  const runs = [start(), start(), start()];
  let alive: number[] = [];
  await until(async () => {
    alive = await findMarked(ownerMark(own.owner));
    return alive.length === 9;
  });
  await Promise.all([own.cleanup(), own.cleanup()]);
  expect(alive.filter(isAlive)).toEqual([]);
  for (const result of await Promise.all(runs)) expect(result.signal).toBe("SIGTERM");
  await own.cleanup();
});

it("two owners in one process end only their own", async () => {
  const [one, two] = [new Processes(), new Processes()];
  const first = one.start("a", { argv: shellArgv("sleep 60"), cwd: "/", env: ENV });
  const second = two.start("b", { argv: shellArgv("echo up; sleep 60"), cwd: "/", env: ENV });
  await until(() => second.read().next > 0);
  await one.cleanup();
  expect([first.running, second.running]).toEqual([false, true]);
  await two.cleanup();
});
