// Where the money of a session went, from its journal alone.

import { type JsonObject, type Request, textOf, type Usage } from "@lathe/llm";
import { describe, expect, it } from "vitest";
import type { ToolDef } from "../../src/contract/tool.ts";
import { sessionCosts } from "../../src/session/costs/session-costs.ts";
import { spawnAgentTool } from "../../src/tools/builtin/spawn-agent/index.ts";
import { waitTool } from "../../src/tools/builtin/wait/index.ts";
import { resultText, type ScriptedTurn } from "../support/scripted-client.ts";
import { setUp, testProfile, tool } from "../support/session.ts";

const usage = (input: number, output = 10): Usage => ({
  inputTokens: input,
  outputTokens: output,
  totalTokens: input + output,
});

/** One cent per hundred tokens read, so that costs and counts cannot be confused. */
const priceOf = (_model: string, { inputTokens }: Usage): number => inputTokens / 10_000;

const small = tool("small", () => "s".repeat(100));
const large = tool("large", () => "l".repeat(300));

describe("the costs of a session", () => {
  it("go to the tools whose results were answered, in proportion to their sizes, else to what was said", async () => {
    const s = setUp({
      priceOf,
      profile: testProfile([small, large]),
      script: [
        { calls: [{ name: "small", id: "a" }], usage: usage(100) },
        {
          calls: [
            { name: "small", id: "b" },
            { name: "large", id: "c" },
          ],
          usage: usage(200),
        },
        { text: "done", usage: usage(400) },
        { text: "welcome", usage: usage(1000) },
      ],
    });
    await s.session.submit("first");
    await s.session.submit("thanks");
    await s.finish();
    const { byTool, words, total, byInput, byModel } = sessionCosts(s.session.journal);
    expect(words).toEqual({ tokens: 110 + 1010, cost: expect.closeTo(0.11) });
    expect(byTool.get("small")).toMatchObject({ calls: 2, cost: expect.closeTo(0.02 + 0.01) });
    expect(byTool.get("large")).toMatchObject({ calls: 1, cost: expect.closeTo(0.03) });
    const tokens = [...byTool.values()].reduce((sum, spent) => sum + spent.tokens, words.tokens);
    expect(tokens).toBe(total.usage.totalTokens);
    expect(total).toMatchObject({ answers: 4, cost: expect.closeTo(0.17) });
    expect(byInput.map(({ answers, cost }) => [answers, cost])).toEqual([
      [3, expect.closeTo(0.07)],
      [1, expect.closeTo(0.1)],
    ]);
    expect([...byModel.keys()]).toEqual(["test/scripted-1"]);
  });

  it("are those of the model that a child had, not of its parent's", async () => {
    const s = setUp({
      priceOf,
      script: (request) => {
        if (request.model === "cheap") return { text: "found", usage: usage(700) };
        const said = request.messages.filter(({ role }) => role === "assistant").length;
        const call = (name: string, args: JsonObject) => ({ calls: [{ name, id: name, args }], usage: usage(100) });
        if (said === 0) return call("spawn_agent", { task: "child", model: "cheap" });
        if (said > 1) return { text: "done", usage: usage(100) };
        return call("wait", { agent_id: JSON.parse(resultText(request, "spawn_agent")).agent_id });
      },
      profile: testProfile([spawnAgentTool, waitTool] as unknown as ToolDef[]),
      subagents: { profileFor: (model) => testProfile([], { model }) },
    });
    await s.session.submit("parent");
    await s.finish();
    const { byModel } = sessionCosts(s.session.journal);
    expect(byModel.get("test/cheap")?.usage).toEqual(usage(700));
    expect(byModel.get("test/scripted-1")?.usage).toEqual(usage(300, 30));
  });

  it("name each child and each call outside the conversation, and agree with the session's own sum", async () => {
    const taskOf = (request: Request): string => textOf(request.messages.find(({ role }) => role === "user")!);
    const play = (request: Request): ScriptedTurn => {
      const said = request.messages.filter(({ role }) => role === "assistant").length;
      if (taskOf(request) === "title?") return { text: "A title", usage: usage(40) };
      if (taskOf(request) === "child") return { text: "found", usage: usage(700) };
      if (said === 0) return { calls: [{ name: "spawn_agent", id: "s", args: { task: "child" } }], usage: usage(100) };
      if (said > 1) return { text: "done", usage: usage(300) };
      const { agent_id } = JSON.parse(resultText(request, "s"));
      return { calls: [{ name: "wait", id: "w", args: { agent_id } }], usage: usage(200) };
    };
    const s = setUp({
      priceOf,
      script: play,
      profile: testProfile([spawnAgentTool, waitTool] as unknown as ToolDef[]),
      middleware: [
        {
          name: "titles",
          async beforeStop(_info, context) {
            const messages = [{ role: "user" as const, content: [{ kind: "text" as const, text: "title?" }] }];
            if (context.agentId === undefined) await context.callModel("titles", { messages });
            return undefined;
          },
        },
      ],
    });
    await s.session.submit("parent");
    await s.finish();
    const { byChild, byRole, byTool, total, byModel } = sessionCosts(s.session.journal);
    expect([...byChild.values()]).toMatchObject([{ answers: 1, usage: usage(700), cost: expect.closeTo(0.07) }]);
    expect(byRole.get("titles")).toMatchObject({ answers: 1, usage: usage(40), cost: expect.closeTo(0.004) });
    expect(byTool.get("wait")).toMatchObject({ calls: 1, cost: expect.closeTo(0.03) });
    expect(total).toMatchObject({ answers: 5, cost: expect.closeTo(s.session.usage.cost) });
    expect(total.usage).toEqual(s.session.usage.usage);
    expect(byModel.get("test/scripted-1")).toEqual(total);
  });
});
