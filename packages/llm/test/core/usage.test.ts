import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addUsage,
  billedOutputTokens,
  cacheHitRatio,
  comparableUsage,
  costOf,
  promptTokens,
} from "../../src/stream/usage.ts";
import type { Usage } from "../../src/types/response.ts";

const OPTIONAL = ["reasoningTokens", "cacheReadTokens", "cacheWriteTokens"] as const;
const usages: fc.Arbitrary<Usage> = fc
  .record(
    {
      inputTokens: fc.nat(),
      outputTokens: fc.nat(),
      reasoningTokens: fc.nat(),
      cacheReadTokens: fc.nat(),
      cacheWriteTokens: fc.nat(),
    },
    { requiredKeys: ["inputTokens", "outputTokens"] },
  )
  .map((usage) => ({ ...usage, totalTokens: usage.inputTokens + usage.outputTokens, raw: { a: 1 } }) as Usage);

describe("usage", () => {
  it("DM-09 adding is commutative, drops raw, and leaves out only what both leave out", () => {
    fc.assert(
      fc.property(usages, usages, (a, b) => {
        const sum = addUsage(a, b);
        expect(sum).toEqual(addUsage(b, a));
        expect(sum.totalTokens).toBe(sum.inputTokens + sum.outputTokens);
        expect("raw" in sum).toBe(false);
        for (const name of OPTIONAL) {
          expect(name in sum).toBe(a[name] !== undefined || b[name] !== undefined);
          if (name in sum) expect(sum[name]).toBe((a[name] ?? 0) + (b[name] ?? 0));
        }
      }),
    );
  });

  const usage: Usage = {
    inputTokens: 100,
    outputTokens: 50,
    totalTokens: 150,
    reasoningTokens: 20,
    cacheReadTokens: 60,
    cacheWriteTokens: 10,
  };

  it.each([
    ["anthropic", 170, 50],
    ["amazon-bedrock", 170, 50],
    ["openai", 100, 50],
    ["gemini", 100, 70],
  ])("DM-09 A-041 %s: comparable counts", (provider, prompt, output) => {
    expect(promptTokens(usage, provider)).toBe(prompt);
    expect(billedOutputTokens(usage, provider)).toBe(output);
    expect(cacheHitRatio(usage, provider)).toBe(60 / prompt);
    const { inputTokens, outputTokens, totalTokens, cacheReadTokens } = comparableUsage(usage, provider);
    expect([inputTokens, outputTokens, totalTokens]).toEqual([prompt, output, prompt + output]);
    expect(cacheReadTokens).toBe(60);
  });

  it.each([
    ["Anthropic", { input_tokens: 100, cache_read_input_tokens: 60, cache_creation_input_tokens: 10 }, 170, 50],
    ["Bedrock", { inputTokens: 100, cacheReadInputTokens: 60 }, 170, 50],
    ["Gemini", { promptTokenCount: 100, candidatesTokenCount: 50, thoughtsTokenCount: 20 }, 100, 70],
    ["Responses", { input_tokens: 100, input_tokens_details: { cached_tokens: 60 } }, 100, 50],
    ["a gateway's Chat", { prompt_tokens: 100, cache_read_input_tokens: 60, completion_tokens: 50 }, 100, 50],
    [
      "xAI's Chat",
      {
        prompt_tokens: 100,
        completion_tokens: 50,
        total_tokens: 170,
        completion_tokens_details: { reasoning_tokens: 20 },
      },
      100,
      70,
    ],
    [
      "OpenAI's Chat",
      {
        prompt_tokens: 100,
        completion_tokens: 50,
        total_tokens: 150,
        completion_tokens_details: { reasoning_tokens: 20 },
      },
      100,
      50,
    ],
  ])("DM-09 under a name of the user's own, %s counts are told by their fields", (_, raw, prompt, output) => {
    expect(promptTokens({ ...usage, raw }, "my-gateway")).toBe(prompt);
    expect(billedOutputTokens({ ...usage, raw }, "my-gateway")).toBe(output);
  });

  it.each([
    { cache_creation: { ephemeral_5m_input_tokens: 4, ephemeral_1h_input_tokens: 6 }, cache_creation_input_tokens: 10 },
    {
      cacheWriteInputTokens: 10,
      cacheDetails: [
        { inputTokens: 4, ttl: "5m" },
        { inputTokens: 6, ttl: "1h" },
      ],
    },
  ])("DM-09 PC-03 what is kept for an hour costs twice the input, as in %o", (raw) => {
    const cost = { input: 1_000_000, output: 0, cacheRead: 0, cacheWrite: 1_250_000 };
    expect(costOf({ ...usage, inputTokens: 0, raw }, cost, "anthropic")).toBeCloseTo(4 * 1.25 + 6 * 2);
  });

  it("DM-09 every token is charged once", () => {
    const cost = { input: 1_000_000, output: 2_000_000, cacheRead: 100_000, cacheWrite: 1_250_000 };
    expect(costOf(usage, cost, "anthropic")).toBeCloseTo(100 + 60 * 0.1 + 10 * 1.25 + 50 * 2);
    expect(costOf(usage, cost, "openai")).toBeCloseTo(30 + 60 * 0.1 + 10 * 1.25 + 50 * 2);
    expect(costOf({ inputTokens: 0, outputTokens: 0, totalTokens: 0 }, cost, "gemini")).toBe(0);
  });
});
