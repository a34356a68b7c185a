// The same conversation gives the same numbers, no matter which vendor counts what in which field.

import { type ScriptedUsage, turn } from "@lathe/testkit";
import { expect, it } from "vitest";
import { sessionCosts } from "../../src/session/costs/session-costs.ts";
import { tool } from "../support/session.ts";
import { ledgered, PROTOCOLS } from "./protocols.ts";

/** 1,000 tokens read, 600 of them from a cache; 50 generated, 20 of them thinking. In each vendor's own form. */
const COUNTED: Readonly<Record<string, ScriptedUsage>> = {
  openai: { input: 1000, cacheRead: 600, output: 50, reasoning: 20 },
  compatible: { input: 1000, cacheRead: 600, output: 50, reasoning: 20 },
  anthropic: { input: 300, cacheRead: 600, cacheWrite: 100, output: 50, reasoning: 20 },
  "amazon-bedrock": { input: 300, cacheRead: 600, cacheWrite: 100, output: 50 },
  gemini: { input: 1000, cacheRead: 600, output: 30, reasoning: 20 },
  ollama: { input: 1000, output: 50 },
};

it.each(PROTOCOLS)(
  "DM-09 $provider: an input, the session and its costs count what was read and generated alike",
  async (protocol) => {
    const usage = COUNTED[protocol.provider]!;
    const work = tool("work", () => "worked");
    const l = await ledgered(
      protocol,
      [turn.calls([{ name: "work", id: "call_1" }], { usage }), turn.text("done", { usage })],
      [work],
    );
    const outcome = await l.session.submit("go");
    const spent = { inputTokens: 2000, outputTokens: 100, totalTokens: 2100 };
    expect(outcome).toMatchObject({ reason: "completed", usage: spent });
    expect(l.session.usage.usage).toMatchObject(spent);
    expect(l.session.spent.tokens).toBe(2100);
    const { total, byModel, byTool, words } = sessionCosts(l.session.journal);
    expect(total.usage).toMatchObject(spent);
    expect(byModel.get(`${protocol.provider}/${protocol.model}`)?.usage).toMatchObject(spent);
    expect([words.tokens, byTool.get("work")?.tokens]).toEqual([1050, 1050]);
    if (protocol.provider !== "ollama") expect(outcome.usage.cacheReadTokens).toBe(1200);
    await l.close();
  },
);
