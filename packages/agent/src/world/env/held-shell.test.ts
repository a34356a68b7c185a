// One shell for many small scripts: its answers, and what happens if it is slow, dies or never starts.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { isAlive } from "../../../test/alive.ts";
import { monotonicClock } from "../process/clock.ts";
import { Processes } from "../process/processes.ts";
import type { OpenedProcess } from "../process/requests.ts";
import { HELD_SHELL, HeldShell } from "./held-shell.ts";
import { RemoteEnvironment } from "./remote.ts";
import type { ScriptResult } from "./shell-files.ts";

const SHELLS = [
  ["dash", ["dash", "-c"]],
  ["bash", ["bash", "-c"]],
  ["busybox", ["busybox", "sh", "-c"]],
] as const;

const LONG_MS = 60_000;
const processes = new Processes({});
afterEach(() => processes.cleanup());

/** `sh` means the shell under test. */
function held(argv: readonly [string, ...string[]] = ["sh", "-c"], before = "") {
  const started: OpenedProcess[] = [];
  const script = `${before}${HELD_SHELL.replace("sh", argv.slice(0, -1).join(" "))}`;
  const shell = new HeldShell(async () => {
    const process = await processes.open({ argv: [...argv, script] as const, cwd: "/", env: processEnv() });
    started.push(process);
    return process;
  }, monotonicClock);
  return { shell, started };
}

const processEnv = () => ({ PATH: process.env["PATH"] ?? "" });
const text = ({ stdout, ...rest }: ScriptResult) => ({ ...rest, stdout: stdout.toString("utf8") });

async function answer(shell: HeldShell, script: string, args: string[] = [], stdin?: Uint8Array) {
  const result = await shell.run({ script, args, stdin }, LONG_MS);
  return typeof result === "string" ? result : text(result);
}

describe.each(SHELLS.filter(([, [program]]) => spawnSync(program, ["-c", ":"]).error === undefined))(
  "%s",
  (_, argv) => {
    it("EE-04 a script's output, what it said and its exit code come back, and nothing of it is left for the next", async () => {
      const { shell, started } = held([...argv]);
      expect(
        await answer(shell, 'cd /tmp; mode=1; echo "$1-$2"; echo why >&2; exit 7', ["it's", "a\nb $HOME"]),
      ).toEqual({
        exitCode: 7,
        stdout: "it's-a\nb $HOME\n",
        stderr: "why",
      });
      expect(await answer(shell, 'pwd; echo "[$mode$1]"; cat; exec echo last')).toEqual({
        exitCode: 0,
        stdout: "/\n[]\nlast\n",
        stderr: "",
      });
      expect(await answer(shell, "kill -9 $(sh -c 'echo $PPID') ; :")).toMatchObject({ exitCode: 137 });
      expect(await answer(shell, "trap : EXIT; exit 3")).toEqual({ exitCode: 3, stdout: "", stderr: "" });
      expect(started).toHaveLength(1);
    });

    it("EE-04 every byte value goes in and comes out, with and without a line end", async () => {
      const { shell } = held([...argv]);
      const bytes = Uint8Array.from({ length: 2_048 }, (_, i) => (i * 7) % 256);
      const result = await shell.run({ script: "cat", args: [], stdin: bytes }, LONG_MS);
      expect(Buffer.compare((result as ScriptResult).stdout, bytes)).toBe(0);
      expect(await answer(shell, "printf 'no end'")).toMatchObject({ stdout: "no end" });
      expect(await answer(shell, ":")).toEqual({ exitCode: 0, stdout: "", stderr: "" });
    });
  },
);

it("EE-04 megabytes come whole; what a shell's text cannot hold takes a program of its own", async () => {
  const { shell, started } = held();
  const result = await shell.run({ script: "head -c 5000000 /dev/zero | tr '\\0' x", args: [] }, LONG_MS);
  expect((result as ScriptResult).stdout.equals(Buffer.alloc(5_000_000, "x"))).toBe(true);
  expect(await answer(shell, "cat", [], Buffer.alloc(100_000))).toBe("own-program");
  expect(await answer(shell, ":", ["x".repeat(100_000)])).toBe("own-program");
  expect(await answer(shell, ":", ["\0"])).toBe("own-program");
  expect(started).toHaveLength(1);
});

it("EE-04 what a login prints first is not taken for an answer", async () => {
  const { shell } = held(["sh", "-c"], "echo welcome; echo news; ");
  expect(await answer(shell, "echo mine")).toMatchObject({ stdout: "mine\n" });
});

it("EE-04 calls side by side each get their own answer; a long one holds up nobody", async () => {
  const { shell } = held();
  const numbers = Array.from({ length: 20 }, (_, i) => String(i));
  const all = await Promise.all(numbers.map((number) => answer(shell, 'echo "$1"', [number])));
  const answered = all.map((result, i) => [result, i] as const).filter(([result]) => result !== "own-program");
  for (const [result, i] of answered) expect(result).toMatchObject({ stdout: `${i}\n` });
  expect(answered).not.toHaveLength(0);
  const long = shell.run({ script: "sleep 60", args: [] }, LONG_MS);
  expect(await answer(shell, "echo short")).toBe("own-program");
  await shell.end();
  expect(await long).toBe("ended");
});

it("EE-04 a shell that dies in the middle is said to have died, and the next call has a new one", async () => {
  const { shell, started } = held();
  expect(await answer(shell, "echo one")).toMatchObject({ stdout: "one\n" });
  expect(await answer(shell, "echo half; kill -9 $$")).toBe("died");
  expect(await answer(shell, "echo two")).toMatchObject({ stdout: "two\n" });
  await started[1]!.stop(0);
  expect(await answer(shell, "echo three")).toMatchObject({ stdout: "three\n" });
  expect(started).toHaveLength(3);
});

it("EE-04 a call past its deadline is ended with its shell", async () => {
  const { shell, started } = held();
  await answer(shell, ":");
  expect(await shell.run({ script: "sleep 60", args: [] }, 50)).toBe("late");
  await started[0]!.exited;
  expect(await answer(shell, "echo on")).toMatchObject({ stdout: "on\n" });
});

it("EE-04 where there is no such shell, it is tried once", async () => {
  const { shell, started } = held(["sh", "-c"], "exit 125; ");
  expect(await answer(shell, "echo one")).toBe("own-program");
  expect(await answer(shell, "echo two")).toBe("own-program");
  expect(started).toHaveLength(1);
});

it("EE-04 an environment works on when its shell dies, and is closed with everything in it", async () => {
  const dir = mkdtempSync(join(tmpdir(), "lathe-held-"));
  const pidFile = join(dir, "pid");
  const env = new RemoteEnvironment(
    {
      name: "next door",
      target: "next door",
      argv: (script, args) => [
        "sh",
        "-c",
        script === HELD_SHELL ? `echo $$ > '${pidFile}'; ${script}` : script,
        "lathe",
        ...args,
      ],
    },
    { cwd: dir, baseEnv: process.env },
  );
  await env.initialize();
  await env.writeFile("a", "one");
  const first = Number(readFileSync(pidFile, "utf8"));
  process.kill(first, "SIGKILL");
  expect(await env.readFile("a")).toBe("one");
  await env.writeFile("a", "two");
  await env.moveFile("a", "b");
  expect(await env.readFile("b")).toBe("two");
  const second = Number(readFileSync(pidFile, "utf8"));
  expect(second).not.toBe(first);
  await env.cleanup();
  expect(isAlive(second)).toBe(false);
  expect(await env.readFile("b")).toBe("two");
  await env.cleanup();
  rmSync(dir, { recursive: true, force: true });
});
