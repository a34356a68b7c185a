import { describe, expect, it } from "vitest";
import { createCatalog } from "../../src/catalog/index.ts";
import { expandModels, initialModel, Registry, selectModel } from "../../src/index.ts";

const lines = (...rows: object[]) => rows.map((row) => JSON.stringify(row)).join("\n");
const catalog = createCatalog({
  anthropic: lines(
    {
      id: "claude-opus-5-5",
      name: "Claude Opus 5.5",
      context: 1000000,
      thinking: "adaptive low medium high xhigh",
      released: "2026-09",
    },
    {
      id: "claude-sonnet-4-6",
      name: "Claude Sonnet 4.6",
      context: 1000000,
      thinking: "adaptive low medium high",
      released: "2026-02-17",
    },
    {
      id: "claude-sonnet-4-5",
      name: "Claude Sonnet 4.5",
      context: 200000,
      thinking: "budget low high",
      aliases: ["claude-sonnet-4-5-20250929"],
      released: "2025-09-29",
    },
  ),
  openai: lines(
    { id: "gpt-5.2", name: "GPT-5.2", context: 400000, thinking: "effort off low medium high", released: "2025-12-11" },
    { id: "gpt-4.1", name: "GPT-4.1", context: 1000000, released: "2025-04-14" },
  ),
  openrouter: lines(
    {
      id: "anthropic/claude-sonnet-4.6",
      name: "Claude Sonnet 4.6",
      context: 1000000,
      thinking: "effort low high",
      released: "2026-02-17",
    },
    { id: "openai/gpt-5.2", name: "GPT-5.2", context: 400000, thinking: "effort low high", released: "2025-12-11" },
    { id: "qwen/qwen3:8b", name: "Qwen3 8B", context: 40000, released: "2025-05-01" },
  ),
});
const env = { ANTHROPIC_API_KEY: "a", OPENROUTER_API_KEY: "r" };
const registry = new Registry({ env, catalog });

const show = (selector: string) => {
  const found = selectModel(registry, selector);
  return found && [`${found.model.provider}/${found.model.id}`, found.match, found.effort];
};

describe("CT-04 G-52 selectors", () => {
  it.each([
    ["anthropic/claude-sonnet-4-5", ["anthropic/claude-sonnet-4-5", "exact", undefined]],
    ["openrouter/openai/gpt-5.2", ["openrouter/openai/gpt-5.2", "exact", undefined]],
    ["claude-sonnet-4-6", ["anthropic/claude-sonnet-4-6", "canonical", undefined]],
    // There is no key for the maker here, so the gateway's variant of the same model is chosen.
    ["gpt-5.2", ["openrouter/openai/gpt-5.2", "canonical", undefined]],
    ["claude-sonnet-4-5-20250929", ["anthropic/claude-sonnet-4-5", "bare", undefined]],
    ["qwen/qwen3:8b", ["openrouter/qwen/qwen3:8b", "canonical", undefined]],
    ["claude-opus-5-5:high", ["anthropic/claude-opus-5-5", "canonical", "high"]],
    ["openai/gpt-4.1:xhigh", ["openai/gpt-4.1", "exact", "xhigh"]],
    ["anthropic/claude-sonnet-4-6:xhigh", ["anthropic/claude-sonnet-4-6", "exact", "high"]],
    ["claude-sonnet-4-6:minimal", ["anthropic/claude-sonnet-4-6", "canonical", "low"]],
    ["sonnet", ["anthropic/claude-sonnet-4-6", "fuzzy", undefined]],
    ["Sonnet 4.5:low", ["anthropic/claude-sonnet-4-5", "fuzzy", "low"]],
    ["*opus*", ["anthropic/claude-opus-5-5", "glob", undefined]],
    ["openrouter/*sonnet*:high", ["openrouter/anthropic/claude-sonnet-4.6", "glob", "high"]],
    ["anthropic/claude-next-9", ["anthropic/claude-next-9", "assumed", undefined]],
    ["google/gemini-99", ["gemini/gemini-99", "assumed", undefined]],
    ["no such thing at all", undefined],
    ["cursor/composer", undefined],
    // Letters that happen to occur in a name are no provider.
    ["e/t", undefined],
    ["/sonnet", undefined],
    ["antropic/sonnet", undefined],
    ["openai/gpt:high", ["openai/gpt", "assumed", "high"]],
    ["qwen/qwen3", ["openrouter/qwen/qwen3:8b", "fuzzy", undefined]],
    ["", undefined],
  ])("CT-04 G-52 %s", (selector, expected) => {
    expect(show(selector)).toEqual(expected);
  });

  it("G-52 scopes: canonical ids expand to all variants, provider/id stays one, globs and parts cover many", () => {
    const ids = (...patterns: string[]) =>
      expandModels(registry, patterns).map(({ model }) => `${model.provider}/${model.id}`);
    expect(ids("claude-sonnet-4-6")).toEqual(["anthropic/claude-sonnet-4-6", "openrouter/anthropic/claude-sonnet-4.6"]);
    expect(ids("anthropic/claude-sonnet-4-6")).toEqual(["anthropic/claude-sonnet-4-6"]);
    expect(ids("openai/*")).toEqual(["openrouter/openai/gpt-5.2", "openai/gpt-5.2", "openai/gpt-4.1"]);
    expect(ids("anthropic/claude-opus-5-5:low", "opus")).toEqual(["anthropic/claude-opus-5-5"]);
  });

  it("G-52 the first model: asked for, scoped, saved, usual, any", () => {
    const id = (...args: Parameters<typeof initialModel>) => initialModel(...args)?.model.id;
    expect(id(registry, { explicit: "gpt-4.1", scoped: ["sonnet"], saved: "claude-sonnet-4-5" })).toBe("gpt-4.1");
    expect(id(registry, { scoped: ["sonnet"], saved: "claude-sonnet-4-5" })).toBe("claude-sonnet-4-6");
    expect(id(registry, { scoped: ["sonnet"], saved: "claude-sonnet-4-5", resuming: true })).toBe("claude-sonnet-4-5");
    expect(id(registry, { saved: "openai/gpt-4.1" })).toBe("claude-opus-5-5");
    expect(id(registry)).toBe("claude-opus-5-5");
    expect(id(new Registry({ env: { OPENROUTER_API_KEY: "r" }, catalog }))).toBe("anthropic/claude-sonnet-4.6");
    expect(initialModel(new Registry({ env: {}, catalog }))).toBeUndefined();
  });
});
