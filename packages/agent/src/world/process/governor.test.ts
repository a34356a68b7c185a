import { existsSync, readdirSync } from "node:fs";
import { afterEach, describe, expect, it, vi } from "vitest";
import { monotonicClock } from "./clock.ts";
import { groupsOf, makeCommandGroup, ownGroups } from "./control-groups.ts";
import { Governor } from "./governor.ts";
import { freeMemory } from "./memory.ts";
import { readProcUse } from "./proc-use.ts";
import { Processes } from "./processes.ts";
import { shellArgv } from "./shell-argv.ts";

const MB = 2 ** 20;
const command = (pid: number, stays = false) => ({ pid, stays, end: () => {} });
const governor = (free: () => number, limits = {}) =>
  new Governor({ limits, clock: monotonicClock, owner: "test", free });

describe("G admission by free memory", () => {
  it("the first command starts whatever is free, further ones only while there is room for what all are expected to take", async () => {
    let free = 10 * MB;
    const judge = governor(() => free);
    expect(judge.admit(false, undefined)).toBeUndefined();
    const first = judge.noteStart(command(process.pid + 1_000_000));
    const second = judge.admit(false, undefined);
    expect(second).toBeInstanceOf(Promise);
    free = 400 * MB;
    first();
    await second;
    judge.noteStart(command(process.pid + 1_000_001));
    expect(judge.waiting).toBe(0);
    expect(judge.admit(false, undefined)).toBeUndefined();
    expect(judge.admit(false, undefined)).toBeInstanceOf(Promise);
    judge.end();
  });

  it("who asks for room besides commands hears of what those ahead are expected to take", () => {
    let free = 400 * MB;
    const judge = governor(() => free);
    expect([judge.hasRoom(0), judge.hasRoom(1), judge.hasRoom(2)]).toEqual([true, true, false]);
    free = 10 * MB;
    expect(judge.hasRoom(0)).toBe(false);
    expect(governor(() => free, { commandMemoryMb: 0 }).hasRoom(9)).toBe(true);
  });

  it("a server waits for other servers too, a command does not wait for a server, and neither blocks the other", async () => {
    const judge = governor(() => 10 * MB);
    judge.admit(true, undefined);
    judge.noteStart(command(process.pid + 1_000_000, true));
    const server = judge.admit(true, undefined);
    expect(server).toBeInstanceOf(Promise);
    let isServed = false;
    server!.then(() => {
      isServed = true;
    });
    await judge.admit(false, undefined);
    expect(isServed).toBe(false);
    judge.end();
  });

  it("one command starts per turn of the event loop, and none that still waits when its call is cancelled", async () => {
    const judge = governor(() => 10 * MB, { commandMemoryMb: 0 });
    const stop = new AbortController();
    const turns = Array.from({ length: 32 }, () => judge.waitForTurn({ signal: stop.signal }));
    expect(await turns[0]).toBe(true);
    expect(await turns[1]).toBe(true);
    stop.abort();
    expect((await Promise.all(turns)).filter(Boolean)).toHaveLength(2);
    judge.end();
  });

  it("the end of one command looks at the memory once, however many wait", async () => {
    let looks = 0;
    const judge = governor(() => {
      looks += 1;
      return 10 * MB;
    });
    judge.admit(false, undefined);
    const first = judge.noteStart(command(process.pid + 1_000_000));
    const waiting = Array.from({ length: 300 }, () => judge.admit(false, undefined));
    looks = 0;
    first();
    await waiting[0];
    expect([looks, judge.waiting]).toEqual([1, 299]);
    judge.end();
  });

  it("a cancelled call leaves the queue at once", async () => {
    const judge = governor(() => 10 * MB);
    judge.admit(false, undefined);
    judge.noteStart(command(process.pid + 1_000_000));
    const cancel = new AbortController();
    const waiting = judge.admit(false, cancel.signal);
    cancel.abort();
    await waiting;
    judge.gaveUp();
    expect(judge.waiting).toBe(0);
    judge.end();
  });

  it.runIf(existsSync("/proc/meminfo"))(
    "free memory is no more than the machine has, and limits of a group are read",
    () => {
      expect(freeMemory()()).toBeGreaterThan(MB);
      const mounts = "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
      expect(groupsOf("0::/user.slice/app.scope\n", mounts)).toMatchObject({
        version: 2,
        memory: ["/sys/fs/cgroup/user.slice/app.scope"],
      });
      const inContainer = "31 30 0:27 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n";
      expect(groupsOf("4:memory:/docker/abc\n", inContainer)).toMatchObject({
        version: 1,
        memory: ["/sys/fs/cgroup/memory"],
      });
    },
  );
});

describe.runIf(process.platform === "linux")("G limits of all commands together", () => {
  let processes: Processes;
  afterEach(() => processes.cleanup());
  const run = (script: string) =>
    processes.run({ argv: shellArgv(script), cwd: "/", env: { PATH: process.env["PATH"]! }, timeoutMs: 60_000 });
  const eat = (megabytes: number) =>
    `python3 -c 'import time; b = bytearray(b"x") * (${megabytes} << 20); time.sleep(20)'`;

  it("a command that takes more memory than is allowed is ended and says why; what stays within goes on", async () => {
    processes = new Processes({ limits: { memoryMb: 150 } });
    const result = await run(eat(400));
    expect(result.exitCode).not.toBe(0);
    expect(result).toMatchObject({ timedOut: false, note: expect.stringContaining("150 MB") });
    expect(await run("echo fine")).toMatchObject({ exitCode: 0, stdout: "fine\n" });
  });

  it("the use of a command includes what it started in sessions of its own", async () => {
    processes = new Processes();
    const script = `echo $$; setsid ${eat(64)} & ${eat(8)} & wait`;
    const job = processes.start("x", { argv: shellArgv(script), cwd: "/", env: { PATH: process.env["PATH"]! } });
    await vi.waitUntil(() => /^\d+\n/.test(job.read().text), { timeout: 60_000 });
    const shell = { pid: Number(job.read().text.split("\n")[0]) };
    const use = () => readProcUse([shell], () => readdirSync("/proc")).get(shell)!;
    // Between a fork and its exec there are briefly more processes.
    await vi.waitUntil(() => use().bytes > 72 << 20 && use().count === 3, { timeout: 60_000 });
    await job.stop();
    expect(use()).toEqual({ bytes: 0, count: 0 });
  });

  it.skipIf(ownGroups().pids.length === 0)(
    "more processes than are allowed cannot be started (needs control groups)",
    async () => {
      processes = new Processes({ limits: { processes: 20 } });
      // Not in bash itself, which retries a fork for 15 seconds.
      const result = await run("sh -c 'for i in $(seq 60); do sleep 3 & done; wait'");
      expect(result.output + (result.note ?? "")).toMatch(/fork|limits\.maxProcesses/);
    },
    60_000,
  );

  it("without a control group the same limits hold, by looking", async () => {
    const none = { version: 2 as const, memory: ["/nowhere"], cpu: ["/nowhere"], pids: ["/nowhere"] };
    expect(makeCommandGroup({ memoryMb: 100 }, "lathe-none", none)).toBeUndefined();
    const judge = new Governor({ limits: { memoryMb: 100 }, clock: monotonicClock, owner: "test", groups: none });
    processes = new Processes();
    const job = processes.start("x", { argv: shellArgv(eat(300)), cwd: "/", env: { PATH: process.env["PATH"]! } });
    const why = await new Promise<string>((resolve) => {
      judge.admit(false, undefined);
      judge.noteStart({ pid: process.pid, stays: false, end: resolve });
    });
    expect(why).toContain("100 MB");
    judge.end();
    await job.stop();
  });
});
