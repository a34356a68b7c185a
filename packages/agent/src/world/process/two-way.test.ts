import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { isAlive, until } from "../../../test/alive.ts";
import { byteLines } from "./byte-lines.ts";
import { monotonicClock } from "./clock.ts";
import { INPUT_LIMIT } from "./input-queue.ts";
import { findMarked, ownerMark } from "./marks.ts";
import { Processes } from "./processes.ts";
import type { OpenRequest } from "./requests.ts";
import type { EnvError } from "./types.ts";

const processes = new Processes();
afterEach(() => processes.cleanup());

const ENV = { PATH: "/usr/local/bin:/usr/bin:/bin" };
const open = (script: string, options: Partial<OpenRequest> = {}) =>
  processes.open({ argv: ["/bin/sh", "-c", script], cwd: tmpdir(), env: ENV, ...options });
/** Reads its input only after SIGUSR1, and counts it. */
const READS_WHEN_TOLD = `trap 'go=1' USR1; echo ready; while [ -z "$go" ]; do sleep 0.02; done; cat | wc -c`;
const textOf = async (source: AsyncIterable<Uint8Array>) => {
  let text = "";
  for await (const chunk of source) text += Buffer.from(chunk).toString("utf8");
  return text;
};

it("EE-02 something that a program leaves behind and that holds its pipes does not keep its output open", async () => {
  const process = await open("(while :; do sleep 1000; done) & echo $!; printf tail");
  const [pid] = (await textOf(process.stdout)).split("\n");
  expect(await process.exited).toMatchObject({ exitCode: 0, stopped: false });
  expect(isAlive(Number(pid))).toBe(true);
  expect(await process.stop()).toMatchObject({ exitCode: 0, stopped: false });
  expect(isAlive(Number(pid))).toBe(false);
});

it("EE-02 output that was never looked at can still be read after the exit, up to what a pipe holds", async () => {
  const process = await open("head -c 50000 /dev/zero");
  await process.exited;
  expect(await textOf(process.stdout)).toHaveLength(50_000);
});

it("EE-02 a reader that leaves its loop finds the rest in the next one", async () => {
  const process = await open('for n in 1 2 3; do echo "$n"; read -r _; done');
  for await (const chunk of process.stdout) {
    expect(Buffer.from(chunk).toString()).toBe("1\n");
    break;
  }
  await process.write("\n\n\n");
  expect(await textOf(process.stdout)).toBe("2\n3\n");
});

it("EE-02 input that nobody takes is bounded: writes beyond the bound are refused at once and nothing breaks", async () => {
  const process = await open(READS_WHEN_TOLD);
  const lines = byteLines(process.stdout);
  expect((await lines.next()).value).toBe("ready");
  const large = process.write(new Uint8Array(INPUT_LIMIT - 10));
  const small = process.write("0123456789");
  await expect(process.write("x")).rejects.toMatchObject({ code: "busy", path: "/bin/sh" });
  await process.signal("SIGUSR1");
  await Promise.all([large, small]);
  await Promise.all([process.write("after"), process.endInput()]);
  expect((await lines.next()).value?.trim()).toBe(String(INPUT_LIMIT + 5));
});

it("EE-02 a write that was still waiting when its time was up leaves the input whole", async () => {
  const fire: (() => void)[] = [];
  const clock = {
    ...monotonicClock,
    after: (ms: number, fn: () => void) => {
      if (ms !== 77_000) return monotonicClock.after(ms, fn);
      fire.push(fn);
      return () => {};
    },
  };
  const own = new Processes({ clock });
  const argv = ["/bin/sh", "-c", READS_WHEN_TOLD] as const;
  const process = await own.open({ argv, cwd: "/", env: ENV, writeTimeoutMs: 77_000 });
  const lines = byteLines(process.stdout);
  expect((await lines.next()).value).toBe("ready");
  const first = process.write(new Uint8Array(1_000_000));
  const second = process.write("lost");
  const third = process.write("kept");
  fire[1]!();
  await expect(second).rejects.toMatchObject({ code: "timed_out", message: expect.stringContaining("77 s") });
  await process.signal("SIGUSR1");
  await Promise.all([first, third, process.endInput()]);
  expect((await lines.next()).value?.trim()).toBe("1000004");
  await own.cleanup();
});

it("EE-02 an interpreter that is not there is told by code and stderr, as no check before the start can see it", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "lathe-tw-")), "script");
  writeFileSync(file, "#!/no/such/interpreter\n", { mode: 0o755 });
  const process = await processes.open({ argv: [file], cwd: "/", env: ENV });
  const { exitCode } = await process.exited;
  expect([126, 127]).toContain(exitCode);
  await until(() => process.readStderr().text.includes(file));
});

it("EE-02 stderr keeps its end, says what is missing, comes in whole characters and never holds the program back", async () => {
  let live = "";
  const process = await open(`yes é | head -c 300001 >&2; printf '\\251end' >&2`, {
    onStderr: (text) => {
      live += text;
    },
  });
  await process.exited;
  await until(() => process.readStderr().next === 300_005);
  const { text, missed, next } = process.readStderr();
  expect(missed + Buffer.byteLength(text)).toBe(next);
  expect(text.endsWith("\néend")).toBe(true);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(64 << 10);
  expect(live.length).toBe(200_004);
  expect(live).not.toContain("\ufffd");
});

it("EE-02 EH-03 cleanup ends open processes and says that it did; what starts afterwards is not touched", async () => {
  const own = new Processes();
  const running = await own.open({ argv: ["sleep", "1000"], cwd: "/", env: ENV });
  const pending = running.write(new Uint8Array(1_000_000)).catch((error: EnvError) => error.code);
  await Promise.all([own.cleanup(), own.cleanup()]);
  expect(await running.exited).toMatchObject({ exitCode: -1, signal: "SIGTERM", stopped: true });
  expect(await pending).toBe("closed");
  expect(await findMarked(ownerMark(own.owner))).toEqual([]);
  const next = await own.open({ argv: ["cat"], cwd: "/", env: ENV });
  await next.write("x");
  expect(await next.stop()).toMatchObject({ exitCode: 0, stopped: true });
  await own.cleanup();
});

it("EE-02 a program that cannot be started is named, whatever the reason", async () => {
  const at = (argv: OpenRequest["argv"], cwd = "/", env = ENV) => processes.open({ argv, cwd, env });
  await expect(at(["nothing-here"])).rejects.toMatchObject({ code: "unavailable", path: "nothing-here" });
  await expect(at(["cat"], "/", { PATH: "/nowhere" })).rejects.toMatchObject({ code: "unavailable", path: "cat" });
  await expect(at(["/tmp"])).rejects.toMatchObject({ code: "unavailable", path: "/tmp" });
  await expect(at(["/etc/passwd"])).rejects.toMatchObject({ code: "permission_denied", path: "/etc/passwd" });
  await expect(at(["cat"], "/no/such/dir")).rejects.toMatchObject({ code: "not_found", path: "/no/such/dir" });
  await expect(at(["cat"], "/dev/null")).rejects.toMatchObject({ code: "not_directory", path: "/dev/null" });
  await expect(at(["cat", "a\0b"])).rejects.toMatchObject({ code: "io" });
  await expect(at(["cat", "x".repeat(200_000)])).rejects.toMatchObject({ code: "io" });
});

it("EE-02 lines: whole characters across chunks, both line ends, a last line without one, a bound", async () => {
  async function* bytes(...chunks: string[]) {
    for (const chunk of chunks) yield Buffer.from(chunk, "latin1");
  }
  const lines = async (source: AsyncIterable<Uint8Array>, longest?: number) => {
    const all: string[] = [];
    for await (const line of byteLines(source, longest)) all.push(line);
    return all;
  };
  expect(await lines(bytes("one\ntw", "o\r\n\n\xc3", "\xa9\r", "\nlast"))).toEqual(["one", "two", "", "é", "last"]);
  expect(await lines(bytes("", "\n"))).toEqual([""]);
  expect(await lines(bytes())).toEqual([]);
  await expect(lines(bytes("short\n", "12345678", "9"), 8)).rejects.toMatchObject({ code: "io" });
});
