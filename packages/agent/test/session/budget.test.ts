import { ServerError, textOf } from "@lathe/llm";
import { describe, expect, it } from "vitest";
import { Ledger } from "../../src/base/budget/ledger.ts";
import { type ToolDef, ToolFailure } from "../../src/contract/tool.ts";
import { spawnAgentTool } from "../../src/tools/builtin/spawn-agent/index.ts";
import { waitTool } from "../../src/tools/builtin/wait/index.ts";
import { defineProfile } from "../../src/tools/profiles/define.ts";
import { FAMILIES } from "../../src/tools/profiles/families.ts";
import { agentProfile, childJournals, types, yields } from "../support/agents.ts";
import { resultText, type ScriptedTurn } from "../support/scripted-client.ts";
import { echo, setUp, testDeps, testProfile, tool } from "../support/session.ts";

const usage = (totalTokens: number) => ({ inputTokens: totalTokens - 10, outputTokens: 10, totalTokens });
/** Its answers are short, so a small limit covers several. */
const terse = (tools: readonly ToolDef[] = [echo]) => testProfile(tools, { maxTokens: 1000 });
const callEcho = (n: number, tokens: number) => ({ calls: [{ name: "echo", args: { n } }], usage: usage(tokens) });

describe("a budget", () => {
  it.each([
    ["tokens", { tokens: 25_000 }, /^The limit of 25000 tokens does not cover another request/],
    ["turns", { turns: 3 }, /^The limit of 3 turns is used up/],
    ["usd", { usd: 0.025 }, /^The limit of \$0\.025 does not cover another request: \$0\.005 of it is left/],
    ["wallMs", { wallMs: 60 }, /^The limit of 0 seconds is used up/],
  ] as const)("of %s stops the session cleanly; raised, it continues", async (_name, budget, says) => {
    const s = setUp({
      profile: terse(),
      script: (_request, index) => (index < 6 ? callEcho(index, 10_000) : { text: "done", usage: usage(10_000) }),
      config: { budget },
      priceOf: (_model, used) => used.totalTokens / 1_000_000,
    });
    await s.session.submit("go");
    expect(s.session.state).toBe("idle");
    const before = s.client.requests.length;
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(6);
    s.session.config.budget = {};
    await s.session.submit("go on");
    await s.finish();
    expect(s.of("processing_end").map((event) => event.data.reason)).toEqual(["budget", "completed"]);
    expect(s.of("warning").map((event) => event.data)).toContainEqual({
      code: "budget_exhausted",
      message: expect.stringMatching(says),
    });
  });

  it("of calls runs as many as are left, says which did not run, and ends the input before another request", async () => {
    const calls = ["a", "b", "c"].map((id) => ({ name: "echo", id }));
    const s = setUp({ profile: terse(), script: [{ calls }, { text: "done" }], config: { budget: { calls: 2 } } });
    await s.session.submit("go");
    const errors = new Map(s.of("tool_call_end").map(({ data }) => [data.call_id, data.error]));
    expect(["a", "b", "c"].map((id) => errors.get(id))).toEqual([
      ...[undefined, undefined],
      "[not run: the limit of tool calls is used up]",
    ]);
    expect(s.of("processing_end")[0]?.data.reason).toBe("budget");
    expect(s.of("warning").map(({ data }) => data.message)).toEqual([
      "The limit of 2 tool calls is used up, and the model asked for another one.",
    ]);
    s.session.config.budget = {};
    expect(await s.session.submit("go on")).toMatchObject({ reason: "completed", text: "done" });
    await s.finish();
  });

  it("in dollars holds for a model of the catalog without anybody naming its price", async () => {
    const s = setUp({
      profile: defineProfile(FAMILIES.anthropic, { model: "claude-opus-4-6", tools: [echo] }),
      script: (_request, index) => callEcho(index, 10_000),
      config: { budget: { usd: 0.3 } },
    });
    await s.session.submit("go");
    await s.finish();
    expect(s.of("processing_end")[0]?.data.reason).toBe("budget");
    expect(s.session.usage.cost).toBeGreaterThan(0.1);
    expect(s.session.usage.cost).toBeLessThanOrEqual(0.3);
  });

  it("in dollars says so, once, when the model has no price", async () => {
    const s = setUp({
      script: (_request, index) => (index < 2 ? callEcho(index, 1000) : { text: "done" }),
      config: { budget: { usd: 1 } },
    });
    await s.session.submit("go");
    await s.finish();
    expect(s.of("warning").map((event) => event.data)).toEqual([
      {
        code: "unknown_price",
        message: "The price of test/scripted-1 is not known, so the limit in dollars cannot be enforced.",
      },
    ]);
  });

  it("tells the model what is left, as user text at 50, 80 and 95 %, never in the prefix", async () => {
    const s = setUp({
      profile: terse(),
      script: (_request, index) => (index < 9 ? callEcho(index, 10_000) : { text: "done", usage: usage(5_000) }),
      config: { budget: { tokens: 102_000 } },
    });
    await s.session.submit("go");
    await s.finish();
    const notices = s.session.history.flatMap((turn) => (turn.kind === "steering" ? [turn.content] : []));
    expect(notices).toEqual([
      "Budget left: 42000 tokens. Finish the most important work first.",
      "Budget left: 12000 tokens. Finish the most important work first.",
    ]);
    expect(new Set(s.client.requests.map((request) => JSON.stringify(request.messages[0]))).size).toBe(1);
    expect(s.of("prefix_changed")).toEqual([]);
  });

  it("the ledger equals the sum of what the provider reported, children included", async () => {
    let sum = 0;
    const s = setUp({
      profile: testProfile([spawnAgentTool, waitTool, echo] as unknown as ToolDef[]),
      script: (request, index) => {
        const tokens = 100 + index;
        sum += tokens;
        const said = request.messages.filter((message) => message.role === "assistant").length;
        if (JSON.stringify(request.messages[1]).includes("child task")) {
          return said === 0 ? callEcho(1, tokens) : { text: "child", usage: usage(tokens) };
        }
        if (said === 0)
          return { calls: [{ name: "spawn_agent", args: { task: "child task" }, id: "s" }], usage: usage(tokens) };
        if (said === 1) {
          const agentId = JSON.parse(resultText(request, "s")).agent_id;
          return { calls: [{ name: "wait", args: { agent_id: agentId }, id: "w" }], usage: usage(tokens) };
        }
        return { text: "done", usage: usage(tokens) };
      },
      priceOf: (_model, used) => used.totalTokens,
    });
    await s.session.submit("go");
    expect(s.session.usage).toMatchObject({ usage: { totalTokens: sum }, cost: sum });
    expect(s.of("processing_end")[0]?.data).toMatchObject({ usage: { totalTokens: sum }, cost: sum });
    await s.finish();
  });

  it("SA-01 a batch keeps within its cap, and the ledger sums to what was reported: retries, stops, revivals, races", async () => {
    const never = (): Promise<void> => new Promise(() => {});
    for (const [seed, cap] of [60_000, 90_000, 150_000, 400_000, 400_000, 900_000].entries()) {
      const { random } = testDeps();
      for (let n = 0; n < seed; n++) random();
      let sum = 0;
      // The provider reports it when the answer ends.
      const counted = (more: ScriptedTurn): ScriptedTurn =>
        Object.defineProperty({ ...more }, "usage", {
          get: () => {
            sum += 10_000;
            return usage(10_000);
          },
        });
      const journals = childJournals();
      const s = setUp({
        profile: { ...agentProfile(), maxTokens: 1000 },
        subagents: { types, journal: journals.journal, limits: () => ({ idleMs: seed % 2 }) },
        config: { budget: { tokens: cap } },
        script: (request) => {
          const chance = random();
          const isFirst = !request.messages.some(({ role }) => role === "assistant");
          if (chance < 0.15 && !isFirst)
            return { error: new ServerError("overloaded", { provider: "test", statusCode: 500 }) };
          if (chance < 0.3 && !isFirst) return { text: "half of it", midway: never };
          return counted(chance < 0.5 ? yields("done") : { calls: [{ name: "echo", args: { chance } }] });
        },
      });
      const { subagents } = s.session;
      const tasks = ["A", "B", "C", "D"].map((id) => ({ id, assignment: `work as ${id}` }));
      const { started } = await subagents.spawnBatch({ agent: "explore", callId: "t", tasks });
      // The size of an agent's first request is known only afterwards.
      while (sum < 40_000) await new Promise((resolve) => setImmediate(resolve));
      const refused = (error: unknown): void => expect(error).toBeInstanceOf(ToolFailure);
      for (let round = 0; round < 12; round++) {
        await new Promise((resolve) => setImmediate(resolve));
        const { agentId } = started[Math.floor(random() * started.length)]!;
        if (random() < 0.4) await subagents.directory.stop(agentId).catch(refused);
        else await Promise.all(["one", "two"].map((text) => subagents.directory.send(agentId, text).catch(refused)));
      }
      while (subagents.directory.running > 0) await subagents.directory.stopAll();
      expect([cap, s.session.spent.tokens]).toEqual([cap, sum]);
      expect(s.session.spent.tokens).toBeLessThanOrEqual(cap);
      await s.finish();
    }
  });

  it("a child's share is reserved before it starts; with nothing left there is no child", async () => {
    const ledger = new Ledger();
    const limits = { tokens: 1000, turns: 10 };
    expect(ledger.reserve("a", limits, 0)).toEqual({ tokens: 500, turns: 5 });
    expect(ledger.reserve("b", limits, 0, { tokens: 400 })).toEqual({ tokens: 400, turns: 2 });
    expect(ledger.amountsLeft(limits, 0)).toMatchObject({ tokens: 100, turns: 3 });
    ledger.settle("a", { usage: usage(50), cost: 0, turns: 1 });
    expect(ledger.amountsLeft(limits, 0)).toMatchObject({ tokens: 550, turns: 7 });
    expect(ledger.reserve("c", { tokens: 450 }, 0)).toBeUndefined();
    expect(ledger.reserve("d", {}, 0)).toEqual({});

    const s = setUp({
      profile: testProfile([spawnAgentTool] as unknown as ToolDef[]),
      script: [{ calls: [{ name: "spawn_agent", args: { task: "x" }, id: "s" }], usage: usage(900) }, { text: "ok" }],
      config: { budget: { turns: 1 } },
      deps: testDeps(),
    });
    await s.session.submit("go");
    await s.finish();
    expect(s.of("tool_call_end")[0]?.data.error).toContain("no budget left for a child agent");
  });

  it("of time counts the input that is still running: the model is told, a child gets what is left", async () => {
    const clock = { time: 0 };
    const slow = tool("slow", () => {
      clock.time += 30_000;
      return "slow";
    });
    const s = setUp({
      profile: testProfile([slow, spawnAgentTool, waitTool] as unknown as ToolDef[]),
      deps: { ...testDeps(), now: () => clock.time },
      config: { budget: { wallMs: 100_000 } },
      script: (request) => {
        if (textOf(request.messages[1]!) === "child") return { calls: [{ name: "slow" }] };
        const said = request.messages.filter((message) => message.role === "assistant").length;
        if (said < 2) return { calls: [{ name: "slow" }] };
        if (said === 2) return { calls: [{ name: "spawn_agent", args: { task: "child" }, id: "s" }] };
        const agentId = JSON.parse(resultText(request, "s")).agent_id;
        return { calls: [{ name: "wait", args: { agent_id: agentId }, id: "w" }] };
      },
    });
    await s.session.submit("go");
    await s.finish();
    const notices = s.session.history.flatMap((turn) => (turn.kind === "steering" ? [turn.content] : []));
    expect(notices[0]).toBe("Budget left: 40 seconds. Finish the most important work first.");
    // 60 of 100 seconds had passed when the child began, so it stops after two slow calls, not after four.
    expect(s.session.subagents.list()).toMatchObject([{ status: "failed", turnsUsed: 2 }]);
    expect(s.of("processing_end")[0]?.data.reason).toBe("budget");
  });
});
