import type { JsonValue } from "@lathe/llm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Bench, toolBench } from "../../../../test/call-tool.ts";
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
  it("T-TODO-1 G-79 a batch continues after an error, and exactly one task is in progress afterwards", async () => {
    const result = await bench.call(todoTool, {
      ops: [init, { op: "start", task: "B" }, { op: "done", task: "A" }, { op: "start", task: "missing" }],
    });
    expect(result.isError).toBe(true);
    expect(result.content[0]).toMatchObject({
      text: 'Errors: Task "missing" not found\n2 open\n## Build\n- [x] A\n- [/] B\n## Check\n- [ ] C',
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
      'Errors: Task "B" already exists',
    );
    expect(await bench.text(todoTool, { ops: [{ op: "done" }] })).toContain("No task is open.");
    expect(await bench.text(todoTool, { ops: [{ op: "rm" }] })).toBe("Todo list cleared.");
  });
});

describe("todo targets and texts", () => {
  const after = async (...ops: object[]) => bench.text(todoTool, { ops: [init, ...ops] as never });

  it.each([
    [{ op: "done", phase: "Build" }, "1 open\n## Build\n- [x] A\n- [x] B\n## Check\n- [/] C"],
    [{ op: "drop", phase: "Check" }, "2 open\n## Build\n- [/] A\n- [ ] B\n## Check\n- [-] C"],
    [{ op: "rm", phase: "Build" }, "1 open\n## Check\n- [/] C"],
    [
      { op: "done", phase: "Ship" },
      'Errors: Phase "Ship" not found\n3 open\n## Build\n- [/] A\n- [ ] B\n## Check\n- [ ] C',
    ],
    [{ op: "drop" }, "No task is open.\n## Build\n- [-] A\n- [-] B\n## Check\n- [-] C"],
  ])("T-TODO-1 G-79 %j touches what it names and nothing else", async (op, text) => {
    expect(await after(op)).toBe(text);
  });

  it("T-TODO-1 what a phase had settled otherwise stays so when the whole phase is done", async () => {
    expect(await after({ op: "drop", task: "A" }, { op: "done", phase: "Build" })).toContain("- [-] A\n- [x] B");
  });

  it.each([
    [{ op: "init" }, "Missing list for init operation"],
    [{ op: "note", task: "A" }, "Missing text for note operation"],
    [{ op: "rm", task: "gone" }, 'Task "gone" not found'],
    [{ op: "start" }, "Missing task for start operation"],
  ])("G-79 %j says what is wrong, and the next operation still runs", async (op, problem) => {
    expect(await after(op, { op: "done", task: "A" })).toContain(`Errors: ${problem}\n2 open`);
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
