import type { JsonValue } from "@lathe/llm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Bench, toolBench } from "../../../test/call-tool.ts";
import { askUserTool } from "../ask-user/index.ts";
import { exitPlanModeTool } from "../exit-plan-mode/index.ts";
import { todoTool } from "./index.ts";

let bench: Bench;
let facts: Map<string, JsonValue>;
beforeEach(async () => {
  bench = await toolBench();
  facts = new Map();
  bench.services.facts = { read: (kind) => facts.get(kind), write: (kind, value) => void facts.set(kind, value) };
});
afterEach(() => bench.close());

const init = {
  op: "init",
  list: [
    { phase: "Build", items: ["A", "B"] },
    { phase: "Check", items: ["C"] },
  ],
} as const;

describe("todo", () => {
  it("a batch continues after an error, and exactly one task is in progress afterwards", async () => {
    const result = await bench.call(todoTool, {
      ops: [init, { op: "start", task: "B" }, { op: "done", task: "A" }, { op: "start", task: "missing" }],
    });
    expect(result.isError).toBe(true);
    expect(result.content[0]).toMatchObject({
      text: 'Error: there is no task "missing"\n2 open\n## Build\n- [x] A\n- [/] B\n## Check\n- [ ] C',
    });
    expect(result.details).toMatchObject({ completedTasks: ["A"] });
  });

  it("the list outlives the call; finishing a task starts the next; notes of the active task are shown", async () => {
    await bench.call(todoTool, { ops: [init] });
    await bench.call(todoTool, {
      ops: [
        { op: "done", task: "A" },
        { op: "note", task: "B", text: "mind the cache" },
      ],
    });
    expect(await bench.text(todoTool, { ops: [{ op: "append", phase: "Check", items: ["D"] }] })).toBe(
      "3 open\n## Build\n- [x] A\n- [/] B\n    note: mind the cache\n## Check\n- [ ] C\n- [ ] D",
    );
    expect(await bench.text(todoTool, { ops: [{ op: "append", phase: "Check", items: ["B"] }] })).toContain(
      "is already on the list",
    );
    expect(await bench.text(todoTool, { ops: [{ op: "done" }] })).toContain("All tasks are settled.");
    expect(await bench.text(todoTool, { ops: [{ op: "rm" }] })).toBe("Todo list cleared.");
  });
});

describe("ask_user", () => {
  const questions = [
    { id: "db", question: "Which database?", options: [{ label: "SQLite" }, { label: "Postgres" }], recommended: 0 },
  ];

  it("gives the model what the person chose or wrote", async () => {
    bench.services.answerer = async () => [{ id: "db", selected: ["Postgres"] }];
    expect(await bench.text(askUserTool, { questions })).toBe("User selected: Postgres");
    bench.services.answerer = async () => [{ id: "db", selected: [], custom: "DuckDB" }];
    expect(await bench.text(askUserTool, { questions })).toBe("User provided custom input: DuckDB");
    bench.services.answerer = async () => undefined;
    await expect(bench.call(askUserTool, { questions })).rejects.toThrow("did not answer");
  });

  it("SN-03 without anybody to ask, the session waits for the next input", async () => {
    let waiting = false;
    bench.services.session = {
      awaitInput: () => {
        waiting = true;
      },
    };
    const result = await bench.call(askUserTool, { questions });
    expect(waiting).toBe(true);
    expect(result.content[0]).toMatchObject({ text: expect.stringContaining("1. SQLite (recommended)") });
  });
});

describe("exit_plan_mode", () => {
  it("hands the plan to whoever decides; outside plan mode it says so", async () => {
    await expect(bench.call(exitPlanModeTool, { plan: "1. do" })).rejects.toThrow("Plan mode is not on");
    const proposed: string[] = [];
    bench.services.planMode = {
      active: true,
      propose: async (plan) => {
        proposed.push(plan);
        return { approved: proposed.length > 1, feedback: "Add a test." };
      },
    };
    expect(await bench.text(exitPlanModeTool, { plan: "1. do" })).toBe(
      "The plan is not approved. Add a test. Stay in plan mode and propose a better one.",
    );
    expect(await bench.text(exitPlanModeTool, { plan: "1. do 2. test" })).toContain("is approved");
    expect(proposed).toEqual(["1. do", "1. do 2. test"]);
  });
});
