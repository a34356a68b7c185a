import { type ModelServer, startModelServer, turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createCatalog } from "../../src/catalog/index.ts";
import { Registry, type RegistryOptions, selectModel } from "../../src/index.ts";
import { createProvider } from "../../src/providers/index.ts";
import type { JsonValue } from "../../src/types/json.ts";
import { Message } from "../../src/types/message.ts";
import type { ModelInfo } from "../../src/types/model.ts";
import { depsWith } from "../providers/kit.ts";

let server: ModelServer;
beforeEach(async () => {
  server = await startModelServer({ script: () => turn.text("hello"), strict: false, auth: "none" });
});
afterEach(() => server.close());

const registry = (config: JsonValue, more: Partial<RegistryOptions> = {}) => new Registry({ env: {}, config, ...more });

/** Sends one request like a host would: registry, connection, adapter. */
async function send(from: Registry, selector: string, env: Record<string, string> = {}) {
  const { model } = selectModel(from, selector)!;
  const adapter = createProvider(model.provider, { ...from.connection(model), deps: depsWith(env) });
  await adapter.complete({ model: model.id, messages: [Message.user("hi")], metadata: { session_id: "s1" } }, {});
  return server.requests.at(-1)!;
}

describe("G-45 merge order", () => {
  it("G-45 a built-in provider moved by the file; the model's header beats the provider's", async () => {
    const from = registry({
      providers: {
        groq: {
          baseUrl: server.baseUrl("chat"),
          apiKey: "sk-file",
          headers: { "X-Team": "provider", "X-Other": "o" },
          modelOverrides: { "openai/gpt-oss-120b": { name: "Corp OSS", headers: { "X-Team": "model" } } },
        },
      },
    });
    const request = await send(from, "groq/openai/gpt-oss-120b");
    expect(request.headers).toMatchObject({ "x-team": "model", "x-other": "o", authorization: "Bearer sk-file" });
    expect(from.get("groq", "openai/gpt-oss-120b")?.displayName).toBe("Corp OSS");
    expect(from.get("groq", "openai/gpt-oss-120b")?.contextWindow).toBe(131072);
  });

  it("G-45 a custom model replaces the built-in one of the same id, others are appended", () => {
    const from = registry({
      providers: {
        groq: {
          baseUrl: "http://127.0.0.1:1/v1",
          auth: "none",
          api: "openai-completions",
          models: [
            { id: "openai/gpt-oss-120b", contextWindow: 7 },
            { id: "mine", reasoning: true, input: ["text", "image"], maxTokens: 5, cost: { input: 1 } },
          ],
        },
      },
    });
    const listed = from.all().filter(({ provider }) => provider === "groq");
    expect(listed.filter(({ id }) => id === "openai/gpt-oss-120b")).toHaveLength(1);
    expect(from.get("groq", "openai/gpt-oss-120b")?.contextWindow).toBe(7);
    expect(from.get("groq", "mine")).toMatchObject({
      supportsReasoning: true,
      supportsVision: true,
      maxOutput: 5,
      cost: { input: 1, output: 0, cacheRead: 0, cacheWrite: 0 },
    });
  });

  it("G-45 overrides hold for discovered models too", () => {
    const found: ModelInfo = {
      id: "qwen3",
      provider: "ollama",
      displayName: "qwen3",
      api: "openai-responses",
      contextWindow: 4096,
      supportsTools: true,
      supportsVision: false,
      supportsReasoning: false,
      input: ["text"],
      aliases: [],
    };
    const from = registry({
      providers: { ollama: { modelOverrides: { qwen3: { name: "House Qwen", contextWindow: 9000 } } } },
    }).withDiscovered([found]);
    expect(from.get("ollama", "qwen3")).toMatchObject({ displayName: "House Qwen", contextWindow: 9000 });
    expect(
      from
        .all()
        .filter(({ provider }) => provider === "ollama")
        .map(({ displayName }) => displayName),
    ).toEqual(["House Qwen"]);
  });

  it("G-45 G-56 compat of provider and model merge, nested objects key by key", async () => {
    const from = registry({
      providers: {
        proxy: {
          baseUrl: server.baseUrl("chat"),
          auth: "none",
          api: "openai-completions",
          compat: { maxTokensField: "max_completion_tokens", sendSessionHeaders: true, extraBody: { a: 1, b: 1 } },
          models: [{ id: "m", compat: { supportsStore: true, extraBody: { b: 2 } } }],
        },
      },
    });
    const request = await send(from, "proxy/m");
    expect(request.body).toMatchObject({ store: false, a: 1, b: 2 });
    expect(request.headers).toMatchObject({ session_id: "s1", "x-session-id": "s1" });
    expect(request.headers.authorization).toBeUndefined();
  });

  it("G-57 transforms: headers stripped and set, extra body late and harmless, another id on the wire", async () => {
    const from = registry({
      providers: {
        proxy: {
          baseUrl: server.baseUrl("chat"),
          apiKey: "k",
          api: "openai-completions",
          headers: { "X-Gone": "1" },
          requestTransform: {
            profile: "openai-proxy",
            setHeaders: { "X-Gone": null, "X-Set": "p" },
            extraBody: { model: "evil", gateway: "g", only: "p" },
          },
          models: [
            {
              id: "local",
              wireModelId: "upstream",
              requestTransform: { setHeaders: { "X-Set": "m" }, extraBody: { gateway: "m" } },
            },
          ],
        },
      },
    });
    const request = await send(from, "proxy/local");
    expect(request.body).toMatchObject({ model: "upstream", gateway: "m", only: "p" });
    expect(request.headers).toMatchObject({ "x-set": "m", "user-agent": "lathe" });
    expect(request.headers["x-gone"]).toBeUndefined();
    expect(Object.keys(request.headers).filter((name) => name.startsWith("x-stainless"))).toEqual([]);
    expect(from.get("proxy", "local")?.id).toBe("local");
  });

  it("CT-02 CT-03 authHeader sends the key as a bearer, apiKeyEnv names the variable", async () => {
    const from = registry(
      {
        providers: {
          "anthropic-proxy": {
            baseUrl: server.baseUrl("anthropic"),
            apiKeyEnv: "PROXY_KEY",
            authHeader: true,
            api: "anthropic-messages",
            models: [{ id: "claude-x" }],
          },
        },
      },
      { env: { PROXY_KEY: "pk" } },
    );
    const request = await send(from, "anthropic-proxy/claude-x", { PROXY_KEY: "pk" });
    expect(request.headers.authorization).toBe("Bearer pk");
    expect(request.headers["x-api-key"]).toBeUndefined();
  });
});

const small = createCatalog({
  anthropic: [
    {
      id: "claude-sonnet-4-6",
      name: "Claude Sonnet 4.6",
      context: 200000,
      thinking: "adaptive low medium high",
      released: "2026-02-17",
    },
    {
      id: "claude-opus-4-6",
      name: "Claude Opus 4.6",
      context: 200000,
      thinking: "adaptive low medium high",
      released: "2026-02-05",
    },
  ]
    .map((row) => JSON.stringify(row))
    .join("\n"),
  openai: [
    { id: "gpt-5.3-codex", name: "GPT-5.3 Codex", context: 400000, released: "2026-02-05" },
    {
      id: "gpt-5.3-codex-spark",
      name: "GPT-5.3 Codex Spark",
      context: 128000,
      released: "2026-02-05",
      promotion: "gpt-5.3-codex",
    },
    { id: "gpt-5.4", name: "GPT-5.4", context: 1000000, released: "2026-03-05" },
  ]
    .map((row) => JSON.stringify(row))
    .join("\n"),
});
const two: JsonValue = {
  providers: {
    alpha: {
      baseUrl: "http://127.0.0.1:1/v1",
      apiKeyEnv: "ALPHA",
      api: "openai-completions",
      models: [{ id: "x/claude-sonnet-4.6" }],
    },
    beta: {
      baseUrl: "http://127.0.0.1:1/v1",
      apiKeyEnv: "BETA",
      api: "openai-completions",
      models: [{ id: "claude-sonnet-4-6" }],
    },
  },
};
const keys = { ALPHA: "a", BETA: "b" };

describe("G-47 canonical models", () => {
  const chosen = (more: Partial<RegistryOptions>) =>
    selectModel(registry(two, { catalog: small, env: keys, ...more }), "claude-sonnet-4-6")?.model.provider;

  it("G-47 CT-04 the first in the user's order that has a key", () => {
    expect(chosen({ providerOrder: ["alpha", "beta"] })).toBe("alpha");
    expect(chosen({ providerOrder: ["beta", "alpha"] })).toBe("beta");
    expect(chosen({ providerOrder: ["alpha", "beta"], env: { BETA: "b" } })).toBe("beta");
    expect(chosen({ providerOrder: ["alpha", "beta"], disabledProviders: ["alpha"] })).toBe("beta");
  });

  it("G-47 without an order the registry's own, and an exact provider/id is not coalesced", () => {
    expect(chosen({})).toBe("alpha");
    const from = registry(two, { catalog: small, env: keys, providerOrder: ["alpha"] });
    expect(selectModel(from, "beta/claude-sonnet-4-6")?.model.provider).toBe("beta");
  });

  it("G-47 user overrides first, exclusion last, no merging on a guess", () => {
    const from = registry(
      {
        ...two,
        equivalence: { overrides: { "openai/gpt-5.4": "house-model" }, exclude: ["alpha/x/claude-sonnet-4.6"] },
      },
      { catalog: small, env: keys },
    );
    expect(from.canonicalId({ provider: "openai", id: "gpt-5.4" })).toBe("house-model");
    expect(from.canonicalId({ provider: "alpha", id: "x/claude-sonnet-4.6" })).toBeUndefined();
    expect(selectModel(from, "claude-sonnet-4-6")?.model.provider).toBe("beta");
    expect(from.canonicalId({ provider: "z", id: "claude-sonnet-4.7" })).toBe("claude-sonnet-4.7");
    expect(from.canonicalId({ provider: "z", id: "my-claude-sonnet-4-6" })).toBe("my-claude-sonnet-4-6");
    expect(from.canonicalId({ provider: "amazon-bedrock", id: "us.anthropic.claude-opus-4-6-v1:0" })).toBe(
      "claude-opus-4-6",
    );
    expect(from.canonicalId({ provider: "z", id: "openai/gpt-5-4" })).toBe("gpt-5.4");
  });
});

describe("availability and promotion", () => {
  it("G-49 CT-03 available: keyless, key in the file, variable, or the host's store", () => {
    const from = (more: Partial<RegistryOptions> = {}) => registry(two, { catalog: small, ...more });
    expect(from().isAvailable("anthropic")).toBe(false);
    expect(from({ env: { ANTHROPIC_API_KEY: "k" } }).isAvailable("anthropic")).toBe(true);
    expect(from({ hasCredential: (provider) => provider === "anthropic" }).isAvailable("anthropic")).toBe(true);
    expect(from().isAvailable("ollama")).toBe(true);
    expect(from().isAvailable("cursor")).toBe(false);
    expect(
      from({ env: { BETA: "b" } })
        .available()
        .map(({ provider }) => provider),
    ).toEqual(["beta"]);
    expect(from({ env: { BETA: "b" } }).all().length).toBe(7);
  });

  it("G-55 the named target, else the next larger window at the same provider and API, only with a key", () => {
    const from = registry({}, { catalog: small, env: { OPENAI_API_KEY: "k" } });
    const target = (id: string, own = from) => own.promotionTarget(own.get("openai", id)!)?.id;
    expect(target("gpt-5.3-codex-spark")).toBe("gpt-5.3-codex");
    expect(target("gpt-5.3-codex")).toBe("gpt-5.4");
    expect(target("gpt-5.4")).toBeUndefined();
    expect(target("gpt-5.3-codex", registry({}, { catalog: small }))).toBeUndefined();
    const elsewhere = registry(
      {
        providers: {
          openai: { modelOverrides: { "gpt-5.4": { contextPromotionTarget: "anthropic/claude-opus-4-6" } } },
        },
      },
      { catalog: small, env: { OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k" } },
    );
    expect(target("gpt-5.4", elsewhere)).toBe("claude-opus-4-6");
  });

  it("G-48 local servers are asked unless configured, configured ones where the file says", () => {
    expect(
      registry({})
        .discoveries()
        .map(({ provider }) => provider),
    ).toEqual(["ollama", "llama.cpp", "lm-studio"]);
    const from = registry({
      providers: {
        ollama: { baseUrl: "http://box:1", api: "openai-responses", auth: "none", discovery: { type: "ollama" } },
        second: { baseUrl: "http://box:2", api: "openai-completions", auth: "none", discovery: { type: "lm-studio" } },
      },
    });
    expect(from.discoveries()).toEqual([
      { provider: "llama.cpp", type: "llama.cpp" },
      { provider: "lm-studio", type: "lm-studio" },
      { provider: "ollama", type: "ollama", baseUrl: "http://box:1" },
      { provider: "second", type: "lm-studio", baseUrl: "http://box:2" },
    ]);
  });
});
