// A stdout or stderr that can no longer be written: a reader that went away, a full disk.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { call, text, turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isAlive } from "../../agent/test/alive.ts";
import { CLI, collect } from "./command.ts";
import { runInside, Text } from "./machine.ts";
import { type Frame, MODEL, type Setup, setup } from "./rpc-host.ts";

let rig: Setup;
beforeEach(async () => {
  rig = await setup();
});
afterEach(() => rig.remove());

const FULL = ["--permission-mode", "full"];
const shell = (command: string) => turn.blocks([text("Looking."), call({ name: "shell", args: { command } })]);

/** Its reader goes away after a number of lines. */
class LeavingReader extends Text {
  #left: number;
  constructor(lines: number) {
    super();
    this.#left = lines;
  }
  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error) => void): void {
    if (this.#left-- > 0) super._write(chunk, encoding, done);
    else done(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
  }
}

describe("a JSON run whose reader goes away", () => {
  it("MO-04 at any line: the exit code is 0 only when the work was done, else 130, and the session is not left locked", async () => {
    await rig.remove();
    rig = await setup({
      script: ({ body }) => {
        const sent = JSON.stringify(body);
        if (!sent.includes("echo one")) return shell("echo one");
        return sent.includes("echo two") ? turn.text("Both are done.") : shell("echo two");
      },
    });
    const run = (stdout: Text) =>
      runInside(["--mode", "json", ...MODEL, ...FULL, "look"], {
        cwd: rig.box.dir,
        env: { ...rig.box.env, ...rig.env },
        stdout,
      });
    const whole = new Text();
    expect((await run(whole)).code).toBe(0);
    const lines = whole.text.trimEnd().split("\n");
    const last = lines.findLastIndex((line) => (JSON.parse(line) as Frame).type === "turn_start");
    const step = process.env["LATHE_LONG"] === undefined ? 6 : 1;
    for (let at = 0; at < lines.length; at += step) {
      const { code } = await run(new LeavingReader(at));
      if (at < last - 1) expect({ at, code }).toEqual({ at, code: 130 });
      else expect([0, 130]).toContain(code);
    }
    const left = await readdir(rig.box.home, { recursive: true });
    expect(left.filter((name) => name.endsWith(".lock"))).toEqual([]);
  });

  it("MO-04 in a process: what the model started is ended, and the run can be resumed", async () => {
    rig.server.push(shell("setsid sleep 1000 & echo $! > daemon; while :; do echo tick; sleep 0.05; done"));
    const child = spawn(process.execPath, [CLI, "--mode", "json", ...MODEL, ...FULL, "look"], {
      cwd: rig.box.dir,
      env: { ...rig.box.env, ...rig.env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for await (const line of createInterface({ input: child.stdout }))
      if ((JSON.parse(line) as Frame).type === "tool_execution_update") break;
    child.stdout.destroy();
    await once(child, "close");
    expect(child.exitCode).toBe(130);
    const daemon = Number(await readFile(`${rig.box.dir}/daemon`, "utf8"));
    expect(isAlive(daemon)).toBe(false);
    rig.server.push(turn.text("Resumed."));
    expect(await rig.box.run([...MODEL, "-c"], { env: rig.env })).toMatchObject({ code: 0, stdout: "Resumed.\n" });
  });
});

describe("a stderr that cannot be written", () => {
  // The retry is reported on stderr.
  const script = () => rig.server.push(turn.error(529, { retryAfter: 0 }), shell("echo one"), turn.text("Done."));

  it("MO-04 a full disk behind stderr does not end the run", async () => {
    script();
    const full = openSync("/dev/full", "w");
    const child = spawn(process.execPath, [CLI, ...MODEL, ...FULL, "look"], {
      cwd: rig.box.dir,
      env: { ...rig.box.env, ...rig.env },
      stdio: ["ignore", "pipe", full],
    });
    closeSync(full);
    let stdout = "";
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      stdout += chunk;
    });
    await once(child, "close");
    expect(child.exitCode).toBe(0);
    expect(stdout).toContain("Done.");
  });

  it("MO-04 a closed stderr does not end the run", async () => {
    script();
    const child = rig.box.start([...MODEL, ...FULL, "look"], rig.env);
    child.stdin.end();
    child.stderr.destroy();
    const { code, stdout } = await collect(child);
    expect(code).toBe(0);
    expect(stdout).toContain("Done.");
  });
});
