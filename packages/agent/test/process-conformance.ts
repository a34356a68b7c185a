// Two-way processes, the same in every environment: what a language server, a debugger or a kernel needs from its
// pipes.

import { expect, it } from "vitest";
import type { ExecutionEnvironment, ProcessOptions, TwoWayProcess } from "../src/world/env/types.ts";
import { byteLines } from "../src/world/process/byte-lines.ts";
import { until } from "./alive.ts";

export interface ProcessRounds {
  /** Without the cases that take long. */
  readonly wraps: boolean;
  /** How many of 256 KiB a program writes to a slow reader. */
  readonly blocks: number;
}

export function processConformance(environment: () => ExecutionEnvironment, { wraps, blocks }: ProcessRounds): void {
  const sh = (script: string, options?: ProcessOptions, ...args: string[]) =>
    environment().startProcess!(["sh", "-c", script, "test", ...args], options);
  /** The process ids that still run there, without those that only wait to be reaped. */
  const alive = async (pids: string): Promise<string> => {
    const state = `case $(cat /proc/$pid/stat 2>/dev/null) in ''|*') Z '*|*') X '*) ;; *) echo $pid ;; esac`;
    return (await environment().execCommand(`for pid in ${pids}; do ${state}; done`, 20_000)).stdout;
  };

  it("D-020 EE-01 bytes go both ways as they are, writes keep their order, an end of input is seen and output continues", async () => {
    const process = await environment().startProcess!(["sh", "-c", "cat; echo end; echo said >&2"]);
    const bytes = new Uint8Array(300_000).map((_, i) => (i * 31 + (i >> 8)) % 256);
    const answer = collect(process);
    const reused = bytes.slice();
    const written = Promise.all([
      process.write("first\n"),
      process.write(reused),
      process.write(new Uint8Array()),
      process.write("é"),
    ]);
    reused.fill(0);
    await written;
    await process.endInput();
    const expected = Buffer.concat([Buffer.from("first\n"), bytes, Buffer.from("éend\n")]);
    expect(Buffer.compare(await answer, expected)).toBe(0);
    expect(await process.exited).toMatchObject({ exitCode: 0, stopped: false });
    await until(() => process.readStderr().next === 5);
    expect(process.readStderr()).toEqual({ text: "said\n", next: 5, missed: 0 });
    await expect(process.write("late")).rejects.toMatchObject({ code: "closed" });
  });

  it("D-020 EE-01 arguments arrive without a shell's help; directory and variables are those asked for", async () => {
    await environment().writeFile("two-way/here", "");
    const odd = [`it's "a"`, "$HOME *", "", "a\nb", "-x"];
    const script = 'pwd; echo "$GIVEN"; echo $#; for argument; do echo "<$argument>"; done; exit 3';
    const process = await sh(script, { cwd: "two-way", env: { GIVEN: "it's = given" } }, ...odd);
    const directory = environment().resolve("two-way");
    expect((await collect(process)).toString()).toBe(
      `${directory}\nit's = given\n5\n${odd.map((argument) => `<${argument}>\n`).join("")}`,
    );
    expect(await process.exited).toMatchObject({ exitCode: 3 });
  });

  it("EE-01 a program or directory that is not there fails the start and is named", async () => {
    const start = (program: string, options?: ProcessOptions) => environment().startProcess!([program, "x"], options);
    const named = (code: string, name: string) => ({ code, message: expect.stringContaining(name) });
    await expect(start("no-such-server")).rejects.toMatchObject(named("unavailable", "no-such-server"));
    await expect(start("./no-such-server")).rejects.toMatchObject(named("unavailable", "no-such-server"));
    await expect(start("cat", { cwd: "no-such-place" })).rejects.toMatchObject(named("not_found", "no-such-place"));
    await environment().writeFile("two-way/plain", "text");
    await expect(start("two-way/plain")).rejects.toMatchObject(named("permission_denied", "two-way/plain"));
    const aborted = start("cat", { signal: AbortSignal.abort() });
    await expect(aborted).rejects.toMatchObject(named("closed", "cat"));
  });

  if (!wraps)
    it("EE-01 a reader that does not read holds the program back instead of filling memory, and loses nothing", async () => {
      const block = 1 << 18;
      const script = `i=0; while [ $i -lt ${blocks} ]; do head -c ${block} /dev/zero; i=$((i+1)); echo >&2; done; echo end`;
      const process = await sh(script);
      let [read, most] = [0, 0];
      for await (const chunk of process.stdout) {
        read += chunk.length;
        // Enough time for the program to run ahead, if it could.
        for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
        most = Math.max(most, process.readStderr().next * block - read);
      }
      expect(read).toBe(blocks * block + 4);
      expect(most).toBeLessThan(16 << 20);
      expect(await process.exited).toMatchObject({ exitCode: 0 });
    }, 60_000);

  it("EE-01 a program that does not read: its write ends at the deadline, what came after it is refused", async () => {
    const process = await sh("echo up; exec sleep 1000", { writeTimeoutMs: 200 });
    const results = await Promise.allSettled([process.write(new Uint8Array(8 << 20)), process.write("x")]);
    expect(results).toMatchObject([
      { status: "rejected", reason: { code: "timed_out", message: expect.stringContaining("0.2 s") } },
      { status: "rejected", reason: { code: "busy" } },
    ]);
    await expect(process.write("y")).rejects.toMatchObject({ code: "closed" });
    expect(await process.stop(0)).toMatchObject({ stopped: true });
  });

  it("EE-01 a program that exits with a write pending: the write fails, the exit says how", async () => {
    const process = await sh("exit 5");
    const write = process.write(new Uint8Array(8 << 20));
    await expect(write).rejects.toMatchObject({ code: "closed" });
    expect(await process.exited).toMatchObject({ exitCode: 5, stopped: false });
    expect(await collect(process)).toHaveLength(0);
    await process.endInput();
    await process.signal("SIGINT");
  });

  it("EE-01 a signal reaches the program, as an interrupt does a kernel", async () => {
    const process = await sh(`trap "trap '' INT; echo caught; exit 7" INT; echo ready; while :; do sleep 0.05; done`);
    const lines = byteLines(process.stdout);
    expect((await lines.next()).value).toBe("ready");
    await process.signal("SIGINT");
    expect((await lines.next()).value).toBe("caught");
    expect((await lines.next()).done).toBe(true);
    expect(await process.exited).toMatchObject({ exitCode: 7, stopped: false });
  });

  if (!wraps)
    it("EE-01 stop lets a program end that ends with its input, and ends one that does not, with all it started", async () => {
      const polite = await sh("cat; echo bye; exit 4");
      const said = collect(polite);
      expect(await polite.stop(20_000)).toMatchObject({ exitCode: 4, stopped: true });
      expect((await said).toString()).toBe("bye\n");

      const spread = "trap '' TERM; sleep 1000 & echo $! $$; setsid sleep 1000 & wait";
      const stubborn = await sh(spread);
      const pids = (await byteLines(stubborn.stdout).next()).value!;
      expect(await alive(pids)).toBe(`${pids.replace(" ", "\n")}\n`);
      expect(await stubborn.stop(1)).toMatchObject({ stopped: true });
      expect(await alive(pids)).toBe("");
      expect(await stubborn.stop()).toEqual(await stubborn.exited);
    }, 30_000);

  it("EE-01 abort ends it, cleanup ends it with what others left behind", async () => {
    const abort = new AbortController();
    const aborted = await sh("echo $$; exec sleep 1000", { signal: abort.signal });
    const pid = (await byteLines(aborted.stdout).next()).value!;
    abort.abort();
    expect(await aborted.exited).toMatchObject({ stopped: true });
    expect(await alive(pid)).toBe("");

    const leaver = await sh("sleep 1000 >/dev/null 2>&1 & echo $!");
    const left = (await collect(leaver)).toString();
    expect(await leaver.exited).toMatchObject({ exitCode: 0 });
    expect(await alive(left.trim())).toBe(left);
    const running = await sh("echo $$; exec sleep 1000");
    const pids = `${left.trim()} ${(await byteLines(running.stdout).next()).value}`;
    await environment().cleanup();
    expect(await running.exited).toMatchObject({ stopped: true });
    expect(await alive(pids)).toBe("");
  }, 30_000);
}

async function collect(process: TwoWayProcess): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of process.stdout) chunks.push(chunk);
  return Buffer.concat(chunks);
}
