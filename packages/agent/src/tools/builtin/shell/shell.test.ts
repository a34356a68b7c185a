import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Bench, toolBench } from "../../../../test/call-tool.ts";
import { Jobs } from "../../run/jobs.ts";
import { jobOutputTool } from "../job-output/index.ts";
import { jobStopTool } from "../job-stop/index.ts";
import { minimalBashTool } from "../minimal/bash/index.ts";
import { shellTool } from "./index.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await toolBench();
});
afterEach(() => bench.close());

describe("shell", () => {
  it("TL-04 shows both streams and the exit code; a failing command is an error with its code", async () => {
    expect(await bench.text(shellTool, { command: "echo out; echo err >&2" })).toMatch(
      /^(out\nerr|err\nout)\n\[exit code: 0, \d+ ms\]$/,
    );
    const failed = await bench.call(shellTool, { command: "printf no-newline; exit 3" });
    expect(failed.isError).toBe(true);
    expect(failed.content[0]).toMatchObject({ text: expect.stringMatching(/^no-newline\n\[exit code: 3, \d+ ms\]$/) });
    expect(failed.details).toMatchObject({ command: "printf no-newline; exit 3", exitCode: 3 });
  });

  it("TL-04 D-023 a command over its time is ended; what it said and how to give it more time are shown", async () => {
    const result = await bench.call(shellTool, { command: "echo started; sleep 60", timeout_ms: 300 });
    expect(result.isError).toBe(true);
    expect(result.content[0]).toMatchObject({
      text: "started\n[ERROR: Command timed out after 300ms. Partial output is shown above.\nYou can retry with a longer timeout by setting the timeout_ms parameter.]",
    });
  });

  it("U-08 D-022 the times of the session decide when the call gives none, and cap what it gives", async () => {
    bench.services.commandTimes = { defaultMs: 250, maxMs: 400 };
    expect(await bench.text(shellTool, { command: "sleep 60" })).toContain("timed out after 250ms");
    expect(await bench.text(shellTool, { command: "sleep 60", timeout_ms: 700_000 })).toContain(
      "timed out after 400ms",
    );
  });

  it("output that does not fit in memory is kept whole in an artifact that the result names", async () => {
    const result = await bench.call(shellTool, { command: "head -c 3000000 /dev/zero | tr '\\0' x" });
    expect(result.artifact).toEqual({ id: 0, bytes: 3_000_000 });
    expect(Buffer.concat(bench.artifacts[0] ?? []).length).toBe(3_000_000);
    expect(JSON.stringify(result.content).length).toBeLessThan(1_200_000);
  });

  it("TL-04 input is closed, so a command that asks does not hang", async () => {
    expect(await bench.text(shellTool, { command: 'read -r line; echo "got:$line"' })).toContain("got:");
  });

  it("TL-04 K-14 lines of both streams stand in the order in which they were written", async () => {
    const command =
      "set -x; for i in 1 2 3 4 5; do echo out $i; done 2>&1; echo err >&2; echo out; nosuchprogram; echo end";
    const expected = [1, 2, 3, 4, 5].flatMap((i) => ["+ for i in 1 2 3 4 5", `+ echo out ${i}`, `out ${i}`]);
    const lines = (await bench.text(shellTool, { command })).split("\n");
    expect(lines.slice(0, -1)).toEqual([
      ...expected,
      ...["+ echo err", "err", "+ echo out", "out", "+ nosuchprogram"],
      "/bin/bash: line 1: nosuchprogram: command not found",
      ...["+ echo end", "end"],
    ]);
  });

  it("TL-04 a commit without a message fails at once instead of waiting for an editor", async () => {
    const repository = "git init -q . && git config user.name a && git config user.email a@b && touch f && git add f";
    await bench.call(shellTool, { command: repository });
    const result = await bench.text(shellTool, { command: "git commit 2>&1", timeout_ms: 20_000 });
    expect(result).toMatch(/empty commit message.*\[exit code: 1, /s);
    expect(
      await bench.text(shellTool, { command: "git commit -qm one && git commit --amend -q", timeout_ms: 20_000 }),
    ).toMatch(/^\[exit code: 0/);
  });
});

describe("background jobs", () => {
  it("a job runs beside, is read bit by bit and ended on demand", async () => {
    bench.services.jobs = new Jobs();
    await bench.call(shellTool, { command: "echo ready; exec sleep 60", background: true });
    let seen = "";
    while (!seen.includes("ready")) seen = await bench.text(jobOutputTool, { job_id: 1, wait_ms: 20 });
    expect(seen).toBe("ready\n[job 1: running]");
    expect(await bench.text(jobOutputTool, { job_id: 1 })).toBe("(no new output)\n[job 1: running]");
    expect(await bench.text(jobStopTool, { job_id: 1 })).toMatch(/^Job 1 has ended: ended by SIGTERM/);
  });

  it("waiting returns when the job ends; an unknown job names the known ones", async () => {
    bench.services.jobs = new Jobs();
    await bench.call(shellTool, { command: "echo done; exit 4", background: true });
    expect(await bench.text(jobOutputTool, { job_id: 1, wait_ms: 20_000 })).toMatch(
      /^done\n\[job 1: exit code: 4, \d+ ms\]$/,
    );
    await expect(bench.call(jobStopTool, { job_id: 7 })).rejects.toThrow("There is no job 7. Known jobs: 1.");
  });
});

describe("bash of the four-tool set", () => {
  it("HD-02 D-091 labels the sections and keeps what is over 1 MiB in an artifact", async () => {
    expect(await bench.text(minimalBashTool, { command: "echo a; echo b >&2; exit 2" })).toBe(
      "stdout:\na\nstderr:\nb\nexit code: 2",
    );
    expect(await bench.text(minimalBashTool, { command: "true" })).toBe("exit code: 0");
    const long = await bench.text(minimalBashTool, { command: "head -c 3000000 /dev/zero | tr '\\0' x" });
    expect(long.length).toBeLessThan(1_100_000);
    expect(long).toMatch(/\[Full output, 3000000 bytes: artifact:\/\/0\. [^\n]*\]\nexit code: 0$/);
  });
});
