import { type Request, textOf } from "@lathe/llm";
import { gate } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { MemoryEnvironment } from "../../src/world/env/memory.ts";
import { agentProfile, batch, builder, cast, explore, firstText, types, yields } from "../support/agents.ts";
import { resultText, type ScriptedTurn } from "../support/scripted-client.ts";
import { type SetupOptions, setUp } from "../support/session.ts";

const start = (options: SetupOptions) =>
  setUp({
    profile: agentProfile(),
    subagents: { types },
    ...options,
    config: { jobReports: "run", maxSubagentDepth: 2, ...options.config },
  });
const isChild = (request: Request) => firstText(request).startsWith("You are ");
const userTexts = (request: Request) => request.messages.filter(({ role }) => role === "user").map(textOf);
/** Waits until the session has been idle with nothing left to report. */
const settled = async (s: ReturnType<typeof setUp>, reports: number): Promise<void> => {
  for await (const _event of s.session.events()) {
    const heard = s.of("user_input").concat(s.of("steering_injected") as never);
    const told = heard.filter((event) => event.data.source?.kind === "agent").length;
    if (told >= reports && s.session.state === "idle") return;
  }
};

describe("the tool task", () => {
  it("SA-01 G-76 a batch runs in the background and each result arrives once, as a message of its own", async () => {
    const children = gate();
    const s = start({
      script: cast({
        "go on": [
          batch([{ id: "One", assignment: "first" }, { id: "Two", assignment: "second" }, { assignment: "third" }]),
          () => {
            children.open();
            return { text: "meanwhile" };
          },
          ...Array<ScriptedTurn>(3).fill({ text: "heard" }),
        ],
        assignment: (request) => ({
          ...yields(`done: ${firstText(request).split("\n").at(-1)}`),
          before: () => children.wait(),
        }),
      }),
    });
    const ended = settled(s, 3);
    await s.session.submit("go on");
    await ended;
    await s.finish();
    const requests = s.client.requests.filter((request) => !isChild(request));
    expect(resultText(requests[1]!, "t")).toMatch(
      /^Spawned 3 background agents using explore\.\n- One\n- Two\n- [A-Z]\w+[A-Z]\w+\n/,
    );
    const texts = userTexts(requests.at(-1)!).filter((text) => text.startsWith("<agent_result"));
    expect(texts).toHaveLength(3);
    for (const word of ["first", "second", "third"]) {
      expect(texts.filter((text) => text.includes(`done: ${word}`))).toHaveLength(1);
    }
    expect(texts[0]).toContain('<agent_result id="One" agent="explore" status="completed">\ndone: first\n[One is idle');
  });

  it("SA-01 G-76 never more agents work at a time than task.maxConcurrency says", async () => {
    let atWork = 0;
    let most = 0;
    const s = start({
      subagents: { types, limits: () => ({ concurrency: 2 }) },
      config: { jobReports: "wait" },
      script: cast({
        "go on": [batch([1, 2, 3, 4, 5].map((n) => ({ assignment: `piece ${n}` }))), { text: "done" }],
        assignment: () => ({
          ...yields("ok"),
          before: async () => {
            atWork += 1;
            most = Math.max(most, atWork);
            await new Promise((resolve) => setImmediate(resolve));
            atWork -= 1;
          },
        }),
      }),
    });
    await s.session.submit("go on");
    await s.finish();
    expect(most).toBe(2);
    expect(resultText(s.client.requests.at(-1)!, "t").match(/status="completed"/g)).toHaveLength(5);
  });

  it("SA-04 one that was stopped while it waited for its turn has its assignment when a message wakes it", async () => {
    const door = gate();
    const s = start({
      subagents: { types, limits: () => ({ concurrency: 1 }) },
      script: cast({
        "go on": [batch(["first", "second"].map((id) => ({ id, assignment: `piece ${id}` }))), { text: "started" }],
        assignment: (request) => ({
          ...yields("ok"),
          before: () => (firstText(request).includes("piece first") ? door.wait() : undefined),
        }),
      }),
    });
    await s.session.submit("go on");
    await s.session.subagents.directory.stop("second");
    await s.session.subagents.send("second", "now you may", "c");
    door.open();
    await s.session.subagents.wait("second", new AbortController().signal);
    const asked = s.client.requests.find((request) => firstText(request).includes("piece second"));
    expect(firstText(asked!)).toMatch(/piece second\n\nnow you may$/);
    await s.finish();
  });

  it("SA-01 without anybody to report to, the call waits and has the results in the order of the tasks", async () => {
    const s = start({
      config: { jobReports: "wait" },
      script: cast({
        "go on": [
          batch([
            { id: "B", assignment: "late" },
            { id: "A", assignment: "soon" },
          ]),
          { text: "done" },
        ],
        "You are B": [{ calls: [{ name: "echo" }] }, yields("late")],
        "You are A": [yields("soon")],
      }),
    });
    await s.session.submit("go on");
    await s.finish();
    const ids = [...resultText(s.client.requests.at(-1)!, "t").matchAll(/agent_result id="(\w+)"/g)].map(
      ([, id]) => id,
    );
    expect(ids).toEqual(["B", "A"]);
    const { details } = s.of("tool_call_end").find(({ data }) => data.call_id === "t")!.data;
    expect(details).toMatchObject({
      agents: [
        { index: 0, id: "B", exitCode: 0 },
        { index: 1, id: "A", output: "soon" },
      ],
    });
  });

  it("SA-01 ids are unique whatever their case, safe as file names, and nested ones carry their parent's", async () => {
    const spawns = { ...builder, spawns: "*" as const };
    const s = start({
      subagents: { types: async () => [spawns] },
      config: { jobReports: "wait" },
      script: cast({
        "go on": [
          batch([{ id: "../x", assignment: "a" }], { agent: "task" }),
          batch(
            [
              { id: "X", assignment: "a" },
              { id: "x", assignment: "b" },
            ],
            { agent: "task" },
          ),
          batch([{ id: "Main", assignment: "a" }], { agent: "task" }),
          batch([{ id: "X", assignment: "nests" }], { agent: "task" }),
          batch([{ id: "x", assignment: "leaf" }], { agent: "task" }),
          { text: "done" },
        ],
        nests: [batch([{ id: "Y", assignment: "leaf" }], { agent: "task" }), yields("up")],
        leaf: [yields("down")],
      }),
    });
    await s.session.submit("go on");
    await s.finish();
    expect(s.session.subagents.list().map(({ agentId }) => agentId)).toEqual(["X", "x-2"]);
    expect(s.client.requests.map(firstText).filter((text) => text.startsWith("You are X."))).not.toEqual([]);
    expect(s.client.requests.map(firstText).some((text) => text.startsWith("You are X.Y."))).toBe(true);
    const errors = s.of("tool_call_end").flatMap(({ data }) => data.error ?? []);
    expect(errors).toEqual([
      'Task 1: the id "../x" may contain only letters, digits, "_" and "-".',
      "Two tasks have the id x. Give each its own id.",
      "Task 1: the id Main is reserved.",
    ]);
  });

  it("SA-05 SA-06 G-106 what may not be started is refused in one line that names what may", async () => {
    const parent = { ...builder, spawns: ["explore"] };
    const s = start({
      subagents: {
        types: async () => [explore, parent, { ...explore, name: "oracle" }],
        refusal: (name) => (name === "oracle" ? "The agent oracle is disabled (task.disabledAgents)." : undefined),
      },
      config: { jobReports: "wait" },
      script: cast({
        "go on": [
          batch([{ assignment: "a" }], { agent: "nobody" }),
          batch([{ assignment: "a" }], { agent: "oracle" }),
          batch([{ assignment: " " }]),
          batch([{ assignment: "a" }], { context: " " }),
          batch([{ assignment: "a" }], { schema: "{}" }),
          batch([{ assignment: "may start explore only" }], { agent: "task" }),
          { text: "done" },
        ],
        "may start": [
          batch([{ assignment: "a" }], { agent: "task" }),
          { calls: [{ name: "spawn_agent", args: { task: "plain" }, id: "p" }] },
          (request) => yields(`${resultText(request, "t")} ${resultText(request, "p")}`),
        ],
      }),
    });
    await s.session.submit("go on");
    await s.finish();
    const outputs = s.of("tool_call_end").map(({ data }) => data.output ?? data.error);
    expect(outputs.slice(0, 5)).toEqual([
      'Unknown agent "nobody". Available: explore, task.',
      "The agent oracle is disabled (task.disabledAgents).",
      "The assignment of task 1 is empty. Say what the agent should do.",
      "context is empty. Say what all of the agents should know.",
      "schema is not supported: the kind of agent says what its output looks like. Omit it.",
    ]);
    expect(outputs[5]).toContain("Cannot spawn 'task'. Allowed: explore.");
    expect(outputs[5]).toContain("Cannot spawn an agent without a kind. Allowed: explore.");
  });

  it("SA-02 SA-06 a child that may start nobody has no tools for it, and none has todo or exit_plan_mode", async () => {
    const { exitPlanModeTool } = await import("../../src/tools/builtin/exit-plan-mode/index.ts");
    const { todoTool } = await import("../../src/tools/builtin/todo/index.ts");
    const s = start({
      profile: agentProfile([exitPlanModeTool, todoTool] as never),
      config: { jobReports: "wait" },
      script: cast({
        "go on": [
          batch([{ assignment: "look" }]),
          { calls: [{ name: "spawn_agent", args: { task: "plain" }, id: "s" }] },
          { text: "done" },
        ],
        assignment: [yields("ok")],
        plain: [{ text: "ok" }],
      }),
    });
    await s.session.submit("go on");
    await s.finish();
    const toolsOf = (words: string) =>
      s.client.requests.find((request) => firstText(request).includes(words))!.tools!.map(({ name }) => name);
    expect(toolsOf("assignment")).toEqual(["echo", "yield", "report_finding"]);
    expect(toolsOf("plain")).toEqual(["spawn_agent", "send_input", "wait", "close_agent", "echo", "task"]);
    expect(toolsOf("go on")).toContain("todo");
  });

  it("T-READ-3 SA-05 an agent whose kind switches summaries off reads a long file as it is", async () => {
    const { readTool } = await import("../../src/tools/builtin/read/index.ts");
    const lines = Array.from({ length: 60 }, (_, i) => `  m${i}() {\n${"    f();\n".repeat(5)}    last();\n  }\n`);
    const env = new MemoryEnvironment({ files: { "long.ts": `class Long {\n${lines.join("")}}\n` } });
    const seen: string[] = [];
    const reads = [
      { calls: [{ name: "read", args: { path: "long.ts" }, id: "r" }] },
      (request: Request) => {
        seen.push(resultText(request, "r"));
        return yields("ok");
      },
    ];
    const s = start({
      env,
      profile: agentProfile([readTool] as never),
      config: { jobReports: "wait" },
      subagents: { types: async () => [explore, { ...builder, blocking: true, reading: { summarize: false } }] },
      script: cast({
        "go on": [
          batch([{ assignment: "folded" }]),
          batch([{ assignment: "whole" }], { agent: "task" }),
          { text: "done" },
        ],
        folded: reads,
        whole: reads,
      }),
    });
    await s.session.submit("go on");
    await s.finish();
    expect(seen.map((text) => text.includes("last();")).sort()).toEqual([false, true]);
  });

  it("SA-01 the form for one task is understood as well, and a batch says which agents did not start", async () => {
    const s = start({
      config: { jobReports: "wait", budget: { turns: 4 } },
      script: cast({
        "go on": [
          { calls: [{ name: "task", args: { agent: "explore", assignment: "alone" }, id: "one" }] },
          batch([
            { id: "A", assignment: "x" },
            { id: "B", assignment: "y" },
          ]),
          { text: "done" },
        ],
        assignment: [yields("ok")],
      }),
    });
    await s.session.submit("go on");
    await s.finish();
    const outputs = s.of("tool_call_end").map(({ data }) => data.output ?? data.error);
    expect(outputs[0]).toContain('status="completed">\nok\n');
    expect(outputs[1]).toContain("B was not started: There is no budget left for a child agent.");
  });
});
