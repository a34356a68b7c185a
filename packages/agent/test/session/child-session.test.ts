import { type Request, textOf } from "@lathe/llm";
import { describe, expect, it } from "vitest";
import type { AgentType, SubagentOptions } from "../../src/agents/subagents/types.ts";
import { askUserTool } from "../../src/tools/builtin/ask-user/index.ts";
import { taskTool } from "../../src/tools/builtin/task/index.ts";
import { MemoryEnvironment } from "../../src/world/env/memory.ts";
import {
  agentProfile,
  answersIn,
  batch,
  cast,
  childJournals,
  explore,
  firstText,
  type Play,
  types,
  yields,
} from "../support/agents.ts";
import { resultText, type ScriptedTurn } from "../support/scripted-client.ts";
import { type SetupOptions, setUp, tool } from "../support/session.ts";

const one = batch([{ id: "A", assignment: "look" }]);
const start = (parts: Parameters<typeof cast>[0], options: Partial<SetupOptions> = {}) =>
  setUp({
    profile: agentProfile(),
    subagents: { types },
    ...options,
    script: cast({ "go on": [one, { text: "done" }], ...parts }),
    config: { maxSubagentDepth: 2, ...options.config },
  });
type Started = ReturnType<typeof start>;
const childRequests = (s: Started) => s.client.requests.filter((request) => firstText(request).startsWith("You are "));
const result = (s: Started) =>
  resultText(s.client.requests.filter((request) => firstText(request) === "go on").at(-1)!, "t");
const run = async (s: Started): Promise<string> => {
  await s.session.submit("go on");
  await s.finish();
  return result(s);
};
const oneType = (more: Partial<AgentType>, options: SubagentOptions = {}): SubagentOptions => ({
  types: async () => [{ ...explore, ...more }],
  ...options,
});
const never = (): Promise<void> => new Promise(() => {});

describe("the end of a child", () => {
  it("SA-03 G-76 one that stops without yield is reminded three times, the last time with the tool forced", async () => {
    const s = start({ assignment: () => ({ text: "I am done." }) });
    expect(await run(s)).toContain(
      'status="completed">\nSYSTEM WARNING: Subagent exited without calling yield tool after 3 reminders.\n\nI am done.',
    );
    const requests = childRequests(s);
    expect(requests).toHaveLength(4);
    expect(textOf(requests.at(-1)!.messages.at(-1)!)).toContain("(Reminder 3 of 3)");
    expect(requests.map(({ toolChoice }) => toolChoice)).toEqual([
      { mode: "auto" },
      { mode: "auto" },
      { mode: "auto" },
      { mode: "named", toolName: "yield" },
    ]);
  });

  it("SA-03 a model that refuses forced tools is only reminded", async () => {
    const profile = { ...agentProfile(), modelInfo: { refusesForcedTools: true } as never };
    const s = start({ assignment: () => ({ text: "I am done." }) }, { profile });
    await run(s);
    expect(childRequests(s).every(({ toolChoice }) => toolChoice?.mode === "auto")).toBe(true);
  });

  it("SA-03 G-76 an output that does not fit the schema is sent back; what never fits says so in the result", async () => {
    const output = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
    const parts: (ScriptedTurn | Play)[] = [yields("no json"), yields('{"n":"x"}'), yields('{"n":1}')];
    const s = start({ assignment: parts }, { subagents: oneType({ output }) });
    expect(await run(s)).toContain('status="completed">\n{"n":1}\n');
    const errors = childRequests(s)
      .slice(1)
      .map((request) => textOf(request.messages.at(-1)!) || JSON.stringify(request.messages.at(-1)));
    expect(errors[0]).toContain("The output does not fit the schema: it is not JSON.");
    expect(errors[1]).toContain("n must be");
    expect(JSON.stringify(childRequests(s)[0]!.messages[0])).toContain("must be JSON that fits this schema");
    const never = start({ assignment: () => yields("no json") }, { subagents: oneType({ output }) });
    expect(await run(never)).toContain("[The output does not fit the schema: it is not JSON]\nno json");
  });

  it("3.24 findings that were reported before yield are part of the result", async () => {
    const finding = (title: string) => ({ name: "report_finding", args: { title, body: "because" } });
    const s = start({ assignment: [{ calls: [finding("one"), finding("two")] }, yields("two problems")] });
    await run(s);
    const { details } = s.of("tool_call_end").find(({ data }) => data.call_id === "t")!.data;
    expect(details).toMatchObject({
      agents: [{ extractedToolData: { report_finding: [{ title: "one" }, { title: "two", body: "because" }] } }],
    });
  });

  it("SA-03 one that gives up is a failure with its reason", async () => {
    const s = start({ assignment: [yields("There is no such file.", "aborted")] });
    expect(await run(s)).toContain('status="failed">\nThere is no such file.\n');
  });

  it("SA-02 a question of a child goes to its parent, whose message is the answer", async () => {
    const questions = [{ id: "q", question: "Which one?", options: [{ label: "this" }, { label: "that" }] }];
    const s = start(
      {
        "go on": [
          one,
          { calls: [{ name: "send_input", args: { agent_id: "A", message: "that" }, id: "i" }] },
          { calls: [{ name: "wait", args: { agent_id: "A" }, id: "w" }] },
          { text: "done" },
        ],
        assignment: [
          { calls: [{ name: "ask_user", args: { questions } as never }] },
          (r) => yields(`took ${textOf(r.messages.at(-1)!)}`),
        ],
      },
      { profile: agentProfile([askUserTool as never]), services: { answerer: async () => undefined } },
    );
    const asked = await run(s);
    expect(asked).toContain("It is asking you a question, and continues when you send the answer:\nWhich one?");
    expect(JSON.parse(resultText(s.client.requests.at(-1)!, "w")).output).toBe("took that");
  });
});

describe("bounds of a child", () => {
  it("SA-01 one that takes too long, streams forever or waits for an approval ends as failed, with the reason", async () => {
    const risky = tool("risky", () => "ran", { tier: "exec" });
    const situations: Record<string, Play> = {
      "no answer": () => ({ text: "", before: never }),
      "an endless stream": () => ({ text: "on and on", midway: never }),
      "an open approval": () => ({ calls: [{ name: "risky" }] }),
    };
    for (const play of Object.values(situations)) {
      const s = start(
        { assignment: play },
        {
          profile: agentProfile([risky]),
          subagents: { types, limits: () => ({ runMs: 60 }) },
          middleware: [
            { name: "rules", approve: ({ tool: { name } }) => ({ decision: name === "risky" ? "ask" : "allow" }) },
          ],
        },
      );
      expect(await run(s)).toContain('status="failed">\nit did not finish within 60 ms');
      expect(s.session.subagents.list()).toMatchObject([{ agentId: "A", status: "failed" }]);
    }
  });

  it("SA-01 task.softRequestBudget: it is told to finish, and stopped at twice as many requests", async () => {
    const s = start(
      { assignment: (request) => ({ calls: [{ name: "echo", args: { n: answersIn(request) } }] }) },
      { subagents: { types, limits: () => ({ requests: 3 }) } },
    );
    expect(await run(s)).toContain("it made 6 requests without finishing");
    expect(childRequests(s).length).toBeLessThanOrEqual(7);
    expect(childRequests(s).at(-1)!.messages.map(textOf)).toContainEqual(
      expect.stringContaining("You have made 3 requests"),
    );
  });

  it("a call of a child that a person is asked about names the agent and its assignment", async () => {
    const risky = tool("risky", () => "ran", { tier: "exec" });
    const s = start(
      { assignment: [{ calls: [{ name: "risky", id: "r" }] }, yields("ok")] },
      {
        profile: agentProfile([risky]),
        middleware: [
          { name: "rules", approve: ({ tool: { name } }) => ({ decision: name === "risky" ? "ask" : "allow" }) },
        ],
        onEvent: (event) => {
          if (event.kind === "subagent_event" && event.data.event.kind === "approval_request")
            s.session.answerApproval("r", { decision: "allow", by: "user" }, "A");
        },
      },
    );
    await run(s);
    const asked = s
      .of("subagent_event")
      .flatMap(({ data: { event } }) => (event.kind === "approval_request" ? [event.data] : []));
    expect(asked[0]!.preview[0]).toEqual({ text: "Agent A: look", kind: "note" });
  });

  it("G-106 rights are the parent's and the kind's: what either forbids does not run, whatever the child says", async () => {
    const ran: string[] = [];
    const tools = ["one", "two", "three"].map((name) =>
      tool(name, () => void ran.push(name) as never, { tier: "exec" }),
    );
    const deny = (name: string) => ({
      name,
      approve: (call: { tool: { name: string } }) => ({
        decision: call.tool.name === name ? ("deny" as const) : ("allow" as const),
      }),
    });
    const s = start(
      { assignment: [{ calls: ["one", "two", "three"].map((name) => ({ name, id: name })) }, yields("ok")] },
      {
        profile: agentProfile(tools),
        middleware: [deny("one")],
        subagents: oneType({ middleware: [deny("two")], allows: ({ name }) => name !== "three" }),
      },
    );
    await run(s);
    expect(ran).toEqual([]);
    const last = childRequests(s).at(-1)!;
    expect(resultText(last, "one")).toMatch(/^Denied/);
    expect(resultText(last, "two")).toMatch(/^Denied/);
    expect(resultText(last, "three")).toBe("Unknown tool: three");
  });

  it("a batch divides what is left evenly, never spends more, and what is unspent returns", async () => {
    const usage = (totalTokens: number) => ({ inputTokens: totalTokens - 10, outputTokens: 10, totalTokens });
    const tasks = Array.from({ length: 8 }, (_, n) => ({ id: `C${n}`, assignment: "loop" }));
    const s = start(
      {
        "go on": [
          { ...batch(tasks), usage: usage(10_000) },
          { text: "done", usage: usage(10_000) },
        ],
        assignment: (request) =>
          firstText(request).includes("C0")
            ? { ...yields("early"), usage: usage(10_000) }
            : { calls: [{ name: "echo", args: { n: answersIn(request) } }], usage: usage(10_000) },
      },
      // Not a multiple of a request: the part of a share that does not cover another request is not spent.
      { profile: { ...agentProfile(), maxTokens: 1000 }, config: { budget: { tokens: 949_900 } } },
    );
    await run(s);
    const perChild = new Map<string, number>();
    for (const request of childRequests(s)) {
      const id = firstText(request).split(".")[0]!;
      perChild.set(id, (perChild.get(id) ?? 0) + 1);
    }
    // 939,900 are left: 104,433 for each of eight, and as much for the parent.
    expect([...perChild.values()]).toEqual([1, ...Array(7).fill(10)]);
    expect(s.session.spent.tokens).toBe(10_000 * s.client.requests.length);
    expect(s.session.spent.tokens).toBeLessThanOrEqual(949_900);
  });
});

describe("the life of a child", () => {
  it("SA-04 it is idle, then parked, and a message revives it with the same first bytes", async () => {
    const journals = childJournals();
    const s = start(
      {
        "go on": [
          one,
          {
            before: () => until(() => stateOf() === "parked"),
            calls: [{ name: "send_input", args: { agent_id: "A", message: "more" }, id: "i" }],
          },
          { calls: [{ name: "wait", args: { agent_id: "A" }, id: "w" }] },
          { text: "done" },
        ],
        assignment: [yields("first"), yields("second")],
      },
      { subagents: { types, journal: journals.journal, limits: () => ({ idleMs: 5 }) } },
    );
    const states: string[] = [];
    const stateOf = () => s.session.subagents.list()[0]?.state;
    const until = async (isSo: () => boolean): Promise<void> => {
      while (!isSo()) {
        states.push(String(stateOf()));
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    await run(s);
    expect(states).toContain("idle");
    const [first, revived] = childRequests(s) as [Request, Request];
    expect(JSON.stringify(revived.tools)).toBe(JSON.stringify(first.tools));
    expect(JSON.stringify(revived.messages.slice(0, first.messages.length))).toBe(JSON.stringify(first.messages));
    expect(JSON.parse(resultText(s.client.requests.at(-1)!, "w")).output).toBe("second");
  });

  it("SA-04 one that is closed at work is aborted: no message revives it", async () => {
    const s = start({
      "go on": [
        { calls: [{ name: "spawn_agent", args: { task: "stuck" }, id: "s" }] },
        (request) => ({ calls: [{ name: "close_agent", args: { agent_id: idIn(request) }, id: "c" }] }),
        (request) => ({ calls: [{ name: "send_input", args: { agent_id: idIn(request), message: "go" }, id: "i" }] }),
        { text: "done" },
      ],
      stuck: () => ({ text: "", before: never }),
    });
    const idIn = (request: Request): string => JSON.parse(resultText(request, "s")).agent_id;
    await s.session.submit("go on");
    await s.finish();
    expect(resultText(s.client.requests.at(-1)!, "i")).toMatch(/was ended for good/);
    expect(s.session.subagents.list()).toMatchObject([{ state: "aborted", status: "failed" }]);
  });
});

describe("a child that works apart", () => {
  const apart = taskTool({ agents: [explore], isolation: true });

  it("SA-04 its work lands when it has finished, goes back once, and no message reaches it afterwards", async () => {
    const landings: boolean[] = [];
    const env = new MemoryEnvironment({ files: { "a.txt": "of the copy" } });
    const read = tool("read", (args, context) => context.env.readFile(String(args["path"])));
    const s = start(
      {
        "go on": [
          batch([{ id: "A", assignment: "look", isolated: true }]),
          { calls: [{ name: "send_input", args: { agent_id: "A", message: "more" }, id: "i" }] },
          { text: "done" },
        ],
        assignment: [
          { calls: [{ name: "read", args: { path: "a.txt" }, id: "r" }] },
          (request) => yields(resultText(request, "r")),
          (request) => yields(`fixed: ${textOf(request.messages.at(-1)!)}`),
        ],
      },
      {
        profile: agentProfile([read, apart]),
        subagents: {
          types,
          isolate: async () => ({
            env,
            land: async ({ isDone }) => {
              landings.push(isDone);
              return landings.length === 1
                ? { text: "", outcome: "kept" as const, again: "line 1 differs" }
                : { text: "1 file landed", outcome: "landed" as const };
            },
            close: async () => {
              landings.push(false);
            },
          }),
        },
      },
    );
    const text = await run(s);
    // Landed twice, and its copy is gone when the result arrives.
    expect(landings).toEqual([true, true, false]);
    expect(text).toContain("fixed: line 1 differs\n\n1 file landed\n[A has ended for good");
    expect(resultText(s.client.requests.at(-1)!, "i")).toContain("worked on a copy that is gone");
  });

  it("SA-01 without a way to isolate it, it is not started and the call says so", async () => {
    const s = start(
      { "go on": [batch([{ id: "A", assignment: "look", isolated: true }]), { text: "done" }] },
      { profile: agentProfile([apart]) },
    );
    expect(await run(s)).toBe(
      "A was not started: Agents cannot work in isolated copies here. Omit isolated, or do it yourself.",
    );
  });
});
