// Many more calls in one answer than may run at once, and texts that take long to check: whatever ends the run ends it
// while they run.

import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gate, turn } from "@lathe/testkit";
import { afterEach, describe, expect, it, vi } from "vitest";
import { collect } from "./command.ts";
import { jsonLines, type Stage, stage } from "./contract-kit.ts";
import { setup } from "./rpc-host.ts";
import { BUILT, SONNET, TerminalBench } from "./terminal/bench.ts";
import { KEY } from "./terminal/emulator.ts";

let scene: Stage | undefined;
afterEach(() => scene?.close());

const full = ["--permission-mode", "full"];
/** Three times as many as run at once, in a long run more. */
const COUNT = process.env["LATHE_LONG"] ? 300 : 100;
/** None of them would end before the test. */
const calls = Array.from({ length: COUNT }, (_, n) => ({
  id: `call_${n}`,
  name: "shell",
  args: { command: "echo x >> started; sleep 600" },
}));
const started = (folder: string) => () => existsSync(join(folder, "started"));
const lanesIn = (folder: string): number => readFileSync(join(folder, "started"), "utf8").length / 2;

describe("many more calls in one answer than run at once", () => {
  // Both end a run in the same way.
  it.each((process.env["LATHE_LONG"] ? ["SIGINT", "SIGTERM"] : ["SIGINT"]) as NodeJS.Signals[])(
    "%s ends a run and every command of it",
    async (signal) => {
      scene = await stage([turn.calls(calls, { chunk: "whole" }), turn.text("never")]);
      const child = scene.start([...full, "--mode", "json", "-p", "go"]);
      child.stdin.end();
      const finished = collect(child);
      await vi.waitUntil(started(scene.box.dir), { timeout: 60_000 });
      child.kill(signal);
      const { code, stdout } = await finished;
      expect(code).toBe(130);
      expect(jsonLines(stdout).at(-1)).toMatchObject({ type: "result", exitCode: 130 });
      expect(lanesIn(scene.box.dir)).toBeLessThanOrEqual(32);
      expect(scene.server.requests).toHaveLength(1);
    },
    60_000,
  );

  it("--max-time ends a run while they run", async () => {
    scene = await stage([turn.calls(calls, { chunk: "whole" }), turn.text("never")]);
    const { code } = await scene.runBuilt([...full, "--max-time", "2s", "-p", "go"]);
    expect(code).toBe(5);
    expect(scene.server.requests.length).toBeLessThan(2);
  });

  it("abort of a host ends the input while they run; each call has its end", async () => {
    const rig = await setup();
    try {
      rig.server.push(turn.calls(calls, { chunk: "whole" }), turn.text("never"));
      const host = await rig.start(...full);
      host.send({ type: "prompt", message: "go" });
      await vi.waitUntil(started(rig.box.dir), { timeout: 60_000 });
      await host.data("abort");
      await host.event("agent_end");
      expect(host.events().filter(({ type }) => type === "tool_execution_end")).toHaveLength(COUNT);
      expect(await host.finish()).toBe(0);
    } finally {
      await rig.remove();
    }
  });
});

it("Ctrl+C at a terminal stops a hundred calls, and the next one leaves", async () => {
  const bench = await TerminalBench.open();
  try {
    bench.server.push(turn.calls(calls, { chunk: "whole" }));
    const run = await bench.open([...SONNET, ...full], BUILT);
    run.type(`go${KEY.enter}`);
    await vi.waitUntil(started(bench.box.dir), { timeout: 60_000 });
    run.type(KEY.ctrl("c"));
    expect(await run.leave()).toBe(130);
    expect(lanesIn(bench.box.dir)).toBeLessThanOrEqual(32);
  } finally {
    await bench.close();
  }
});

it.each([
  ["1 MB", `echo a${"; echo a".repeat(125_000)}`],
  ["10,000 nested substitutions", `echo ${"$(echo ".repeat(10_000)}x${")".repeat(10_000)}`],
])(
  "a signal ends a run that judges a command of %s",
  async (_what, command) => {
    const door = gate();
    scene = await stage([
      turn.calls([{ name: "shell", args: { command } }]),
      turn.text("never", { before: door.wait }),
    ]);
    const child = scene.start(["-p", "go"]);
    child.stdin.end();
    await vi.waitUntil(() => scene!.server.requests.length > 0, { timeout: 60_000 });
    child.kill("SIGTERM");
    const [code] = await once(child, "exit");
    door.open();
    expect(code).toBe(130);
  },
  60_000,
);
