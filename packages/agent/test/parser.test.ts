import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, describe, expect, it } from "vitest";
import { Parser, type ParserJob } from "../src/files/parser/parser.ts";
import { isAlive, until } from "./alive.ts";
import { bundleOf } from "./support/bundle.ts";

const file = await bundleOf("./misbehaving-parser.ts", import.meta.url);
const parser = new Parser({ file });

afterAll(() => parser.close());

const run = (task: string, more: Partial<ParserJob> = {}): Promise<unknown> =>
  parser.run({ task, input: {}, signal: new AbortController().signal, timeoutMs: 60_000, memoryMb: 64, ...more });

const pidOf = async () => ((await run("echo")) as { pid: number }).pid;

describe("parser process", () => {
  it("bytes arrive and come back as they were, also megabytes of them, and the process stays warm", async () => {
    const bytes = Buffer.alloc(20 << 20, "\0\r\n\xff");
    const first = (await run("echo", { input: { bytes, name: "é" } })) as { pid: number; bytes: Buffer; name: string };
    expect(Buffer.compare(first.bytes, bytes)).toBe(0);
    expect(first.name).toBe("é");
    expect(await pidOf()).toBe(first.pid);
  });

  it.each([
    ["loops", "it took longer than 0.3 s", { timeoutMs: 300 }],
    // The system may refuse the memory before the limit ends the process.
    ["eatsHeap", /it needs (?:more than 64 MB of|too much) memory/, {}],
    ["eatsBuffers", /it needs (?:more than 64 MB of|too much) memory/, {}],
    ["nests", "it is nested too deeply", {}],
    ["refuses", "the file is broken", {}],
    ["exits", "its parser process ended unexpectedly (exit code 3)", {}],
    ["answersTooMuch", "its content is too large to show", { memoryMb: 512 }],
    ["unknown", "there is no parser task unknown", {}],
  ])("a task that %s ends with one line, and the next task runs", async (task, why, more) => {
    if (task === "loops") await pidOf(); // the deadline is for the task, not for the start
    await expect(run(task, more)).rejects.toThrow(why);
    expect(await pidOf()).toBeGreaterThan(0);
  });

  it("memory is limited where the kernel does not count it", async () => {
    const watched = new Parser({ file, platform: "darwin" });
    const job = { input: {}, signal: new AbortController().signal, timeoutMs: 60_000, memoryMb: 64 };
    await expect(watched.run({ ...job, task: "eatsBuffers" })).rejects.toThrow("it needs more than 64 MB of memory");
    await watched.close();
  });

  it("an interrupt ends a looping task, and one that waits for its turn never runs", async () => {
    const looping = new AbortController();
    const waiting = new AbortController();
    const pid = await pidOf();
    const first = run("loops", { signal: looping.signal });
    const second = run("echo", { signal: waiting.signal });
    waiting.abort();
    await expect(second).rejects.toThrow("interrupted");
    looping.abort();
    await expect(first).rejects.toThrow("interrupted");
    expect(isAlive(pid)).toBe(false);
  });

  it("tasks that come together run one after the other, in one process", async () => {
    const pids = await Promise.all([pidOf(), pidOf(), pidOf()]);
    expect(new Set(pids).size).toBe(1);
  });

  it("what a library prints does not spoil the answer", async () => {
    expect(await run("chatters")).toBe("said");
    expect(await run("chatters")).toBe("said");
  });

  it("a process that has grown large is not kept", async () => {
    const pid = (await run("grows", { memoryMb: 512 })) as number;
    expect(isAlive(pid)).toBe(false);
  });

  it("closing leaves no process behind, nor what a parser started", async () => {
    const pid = await pidOf();
    const child = (await run("leavesChild")) as number;
    await parser.close();
    expect([isAlive(pid), isAlive(child)]).toEqual([false, false]);
  });

  it("nothing is left after SIGKILL of the host", async () => {
    const program = `
      const { Parser } = await import(${JSON.stringify(new URL("../src/files/parser/parser.ts", import.meta.url).href)});
      const parser = new Parser({ file: ${JSON.stringify(file)} });
      const signal = new AbortController().signal;
      const job = { signal, timeoutMs: 60000, memoryMb: 128, input: {} };
      const { pid } = await parser.run({ ...job, task: "echo" });
      void parser.run({ ...job, task: "loops" });
      process.stdout.write(pid + "\\n");
    `;
    const args = ["--conditions=lathe-source", "--import", "tsx", "--input-type=module", "-e", program];
    const host = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    const [line] = (await once(host.stdout, "data")) as [Buffer];
    const pid = Number(String(line));
    expect(isAlive(pid)).toBe(true);
    host.kill("SIGKILL");
    await until(() => !isAlive(pid));
  });
});
