// The agents of a session at the terminal: seen while they work, steered, stopped, revived.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Gate, gate, type ModelTurn, type Script, turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { SONNET, TerminalBench } from "./bench.ts";
import { KEY } from "./emulator.ts";

let bench: TerminalBench;
afterEach(() => bench.close());

const ALT_A = "\x1ba";
const FULL = [...SONNET, "--permission-mode", "full"];
const yields = (output: string): ModelTurn => turn.calls([{ name: "yield", id: "y", args: { output } }]);
const TASKS = [
  { id: "Callers", description: "Find the callers of parse", assignment: "Find all callers of parse." },
  { id: "Docs", description: "Read the docs", assignment: "Read the documentation." },
  { id: "Tests", description: "Look at the tests", assignment: "Look at the tests of parse." },
];

/** Callers writes and then waits at the gate, Docs is done at once, Tests waits after a call. */
function script(held: Gate): Script {
  return (({ view }) => {
    const said = JSON.stringify(view.messages);
    const isBegun = view.messages.some(({ results }) => results.length > 0);
    if (!view.tools.includes("yield"))
      return isBegun
        ? turn.text("noted")
        : turn.calls([{ name: "task", id: "t", args: { agent: "explore", context: "parse", tasks: TASKS } }]);
    if (said.includes("documentation")) return yields("The docs name parse twice.");
    if (said.includes("look at main.ts first")) return yields("Two callers.");
    if (said.includes("all callers"))
      return turn.text("I look for callers.\nThe first is in main.ts, the second one is not found yet. ", {
        beforeEvent: (at) => (at > 5 ? held.wait() : undefined),
      });
    return isBegun
      ? turn.text("x", { before: held.wait })
      : turn.calls([{ name: "read_file", id: "r", args: { file_path: "parse.test.ts" } }]);
  }) as Script;
}

async function started(options: { columns?: number; rows?: number } = {}) {
  const held = gate();
  bench = await TerminalBench.open({ script: script(held) });
  const home = bench.box.env["LATHE_HOME"]!;
  await mkdir(home, { recursive: true });
  await writeFile(join(home, "config.yml"), "task: { agentIdleTtlMs: 400 }\n");
  await writeFile(join(bench.box.dir, "parse.test.ts"), "it parses\n");
  const run = await bench.open(FULL, options);
  run.type(`go${KEY.enter}`);
  await run.see("noted");
  return { run, held };
}

describe("the hub", () => {
  it("SA-08 lists three agents, shows one becoming parked, and what each does", async () => {
    const { run } = await started();
    run.type(ALT_A);
    await run.see(/❯ ● Callers {2}running · \d+s/);
    await run.see(/● Tests +running · \d+s/);
    await run.see(/○ Docs +parked/);
    await run.see(/Agents {2}2 running, 1 parked/);
    await run.see("I look for callers.\n");
    run.type(KEY.down);
    await run.see(/❯ ○ Docs[\s\S]*The docs name parse twice\./);
    await run.see("r to revive it");
    run.type("r");
    await run.see(/❯ ✓ Docs +idle/);
    run.type("o");
    await run.see(/## Agent\n> yield/);
    run.type("q");
    run.type(KEY.escape);
    await run.see((screen) => !screen.includes("Agents  "));
  });

  it("SA-08 a message steers or wakes an agent, s stops one after a question, and the result reaches the model", async () => {
    const { run, held } = await started();
    run.type(`/agents${KEY.enter}`);
    await run.see(/❯ ● Callers/);
    run.type("s");
    await run.see("Stop Callers? y/n");
    run.type("n");
    await run.see(/❯ ● Callers {2}running/);
    run.type("s");
    await run.see("Stop Callers? y/n");
    run.type("y");
    await run.see(/❯ ✗ Callers {2}failed, (idle|parked)/);
    run.type(KEY.enter);
    await run.see("To Callers: ");
    run.type(`look at main.ts first${KEY.enter}`);
    await run.see(/❯ [✓○] Callers {2}(idle|parked)[\s\S]*Two callers\./);
    await expect
      .poll(
        () =>
          bench.server.requests
            .filter(({ view }) => !view.tools.includes("yield"))
            .at(-1)
            ?.view.messages.at(-1)?.text,
      )
      .toContain("Two callers.");
    held.open();
  });

  it("SA-08 fits a narrow and low terminal, says at the bottom how many agents work, and x stops them all", async () => {
    const { run } = await started({ columns: 40, rows: 14 });
    await run.see(/2 agents/);
    run.type(ALT_A);
    await run.see(/❯ ● Callers/);
    await run.see(/○ Docs/);
    for (const line of run.screen) expect(line.length).toBeLessThanOrEqual(40);
    run.type("x");
    await run.see("Stop all 2 running agents? y/n");
    run.type("y");
    await run.see(/✗ Callers[\s\S]*✗ Tests/);
  });
});
