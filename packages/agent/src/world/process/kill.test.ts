// No process is left: each way of spreading, ended by abort, timeout, cleanup and SIGKILL of the host.

import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { isAlive, until } from "../../../test/alive.ts";
import { KILL_PRELUDE, KILL_SITUATIONS } from "../../../test/kill-situations.ts";
import { bundleOf } from "../../../test/support/bundle.ts";
import { type Clock, monotonicClock } from "./clock.ts";
import { findMarked, ownerMark } from "./marks.ts";
import { Processes } from "./processes.ts";
import { shellArgv } from "./shell-argv.ts";

const isLong = Boolean(process.env["LATHE_LONG"]);
const folder = mkdtempSync(join(tmpdir(), "lathe-kill-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function pidsIn(file: string): number[] {
  try {
    return readFileSync(file, "utf8").trim().split("\n").map(Number);
  } catch {
    return [];
  }
}

/** The watchdog itself is not marked; its argument names the owner. */
function watchdogsOf(owner: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(`\0LATHE_OWNER=${owner}\0`);
    } catch {
      return false; // it ended while we looked
    }
  });
}

/** A clock whose timer of one length waits until the test fires it. */
function heldClock(held: number): { clock: Clock; fire: () => void } {
  let fire = () => {};
  const after: Clock["after"] = (ms, fn) => {
    if (ms !== held) return monotonicClock.after(ms, fn);
    fire = fn;
    return () => {};
  };
  return { clock: { now: monotonicClock.now, after }, fire: () => fire() };
}

describe.skipIf(process.platform !== "linux")("no process left", () => {
  describe.concurrent.each(["abort", "timeout"] as const)("after %s", (way) => {
    // Both end a command in the same way, so each situation uses only one of them, except in a long run.
    const situations = KILL_SITUATIONS.filter((_, at) => isLong || (at % 2 === 0) === (way === "abort"));
    it.each(situations)(`TL-04 TR-04 D-023 ${way}: $name`, async ({ name, command, leaves, returns }) => {
      const file = join(folder, `${way}-${name.replaceAll(" ", "-")}`);
      const { clock, fire } = heldClock(54_321);
      const processes = new Processes({ clock });
      const abort = new AbortController();
      const run = processes.run({
        argv: shellArgv(KILL_PRELUDE + command),
        cwd: "/",
        env: { PATH: "/usr/local/bin:/usr/bin:/bin", PIDS: file },
        timeoutMs: 54_321,
        signal: abort.signal,
      });
      await until(() => pidsIn(file).length === leaves);
      const pids = pidsIn(file);
      if (returns) {
        expect(await run).toMatchObject({ exitCode: 0, aborted: false, timedOut: false });
        expect(pids.every(isAlive)).toBe(true);
        await processes.cleanup();
      } else {
        // A process in the middle of its exec may be unreadable for a moment.
        await until(() => pids.every(isAlive));
        if (way === "abort") abort.abort();
        else fire();
        expect(await run).toMatchObject({ aborted: way === "abort", timedOut: way === "timeout" });
      }
      expect(pids.filter(isAlive)).toEqual([]);
      expect(await findMarked(ownerMark(processes.owner))).toEqual([]);
      await processes.cleanup();
    });
  });

  describe.concurrent("after the stop of a two-way process", () => {
    it.each(KILL_SITUATIONS)("EE-02 TL-04 stop: $name", async ({ name, command, leaves, returns }) => {
      const file = join(folder, `stop-${name.replaceAll(" ", "-")}`);
      const processes = new Processes();
      const env = { PATH: "/usr/local/bin:/usr/bin:/bin", PIDS: file };
      const started = await processes.open({ argv: ["bash", "-c", KILL_PRELUDE + command], cwd: "/", env });
      await until(() => pidsIn(file).length === leaves && pidsIn(file).every(isAlive));
      if (returns) expect(await started.exited).toMatchObject({ exitCode: 0, stopped: false });
      await started.stop(0);
      expect(pidsIn(file).filter(isAlive)).toEqual([]);
      expect(await findMarked(ownerMark(processes.owner))).toEqual([]);
      await processes.cleanup();
    });
  });

  // Nothing handles SIGHUP or SIGTERM, so all three are one case, except in a long run.
  const deaths: NodeJS.Signals[] = isLong ? ["SIGKILL", "SIGTERM", "SIGHUP"] : ["SIGKILL"];
  const program = bundleOf("../../../test/kill-host.ts", import.meta.url);
  it.concurrent.each(deaths)(
    "TL-04 EH-03 the host dies by %s in all situations at once",
    async (signal) => {
      const prefix = join(folder, `host-${signal}`);
      const host = spawn(process.execPath, [await program, prefix], { stdio: ["ignore", "pipe", "inherit"] });
      let owner = "";
      host.stdout.on("data", (chunk: Buffer) => {
        owner += chunk.toString();
      });
      const exited = new Promise((resolve) => host.once("exit", resolve));
      const all = () =>
        KILL_SITUATIONS.flatMap((_, i) => [`${i}`, `two-way-${i}`].flatMap((k) => pidsIn(`${prefix}-${k}`)));
      const expected = 2 * KILL_SITUATIONS.reduce((sum, { leaves }) => sum + leaves, 0);
      await until(() => all().length === expected && owner.endsWith("\n"));
      await until(() => all().every(isAlive));
      host.kill(signal);
      await exited;
      const marked = () => findMarked(ownerMark(owner.trim()));
      await until(async () => (await marked()).length === 0);
      await until(() => !all().some(isAlive));
      await until(() => watchdogsOf(owner.trim()).length === 0);
    },
    60_000,
  );
});

it("a question of the session's own that does not end soon is watched like any other command", async () => {
  const { clock, fire } = heldClock(500);
  const processes = new Processes({ clock });
  const request = { argv: shellArgv("sleep 100"), cwd: tmpdir(), env: { PATH: "/usr/bin:/bin" }, timeoutMs: 0 };
  const running = processes.run({ ...request, internal: true });
  expect(watchdogsOf(processes.owner)).toEqual([]);
  fire();
  await until(() => watchdogsOf(processes.owner).length === 1);
  await processes.cleanup();
  expect((await running).signal).toBe("SIGTERM");
  await until(() => watchdogsOf(processes.owner).length === 0);
});
