import { describe, expect, it } from "vitest";
import { checkRegistryConfig, Registry } from "../../src/index.ts";
import type { JsonValue } from "../../src/types/json.ts";

const model = { id: "m" };
const good = { baseUrl: "http://127.0.0.1:1/v1", apiKey: "KEY", api: "openai-completions", models: [model] };
const problems = (config: JsonValue) => checkRegistryConfig(config).map(({ message }) => message);
const at = (provider: JsonValue) => problems({ providers: { p: provider } });

describe("G-43 G-44 the registry file", () => {
  it.each<[string, JsonValue, string]>([
    ["no base URL", { ...good, baseUrl: null }, "providers.p.baseUrl must be a non-empty string, not null"],
    [
      "models without a base URL",
      { apiKey: "K", api: "openai-completions", models: [model] },
      "providers.p.baseUrl is required with models",
    ],
    [
      "models without a key",
      { baseUrl: "u", api: "openai-completions", models: [model] },
      "providers.p.apiKey is required with models; set apiKey, apiKeyEnv or auth: none",
    ],
    [
      "models without an api",
      { baseUrl: "u", apiKey: "K", models: [model] },
      "providers.p.models[0].api is required here or at the provider",
    ],
    [
      "nothing at all",
      {},
      "providers.p must set one of baseUrl, headers, compat, requestTransform, disableStrictTools, modelOverrides, discovery when it has no models",
    ],
    ["discovery without an api", { discovery: { type: "ollama" } }, "providers.p.api is required with discovery"],
    [
      "a wrong discovery type",
      { api: "openai-responses", discovery: { type: "magic" } },
      'providers.p.discovery.type must be one of ollama, llama.cpp, lm-studio, openai-compatible, not "magic"',
    ],
    ["a model without an id", { ...good, models: [{ name: "x" }] }, "providers.p.models[0].id is missing"],
    [
      "a window of 0",
      { ...good, models: [{ id: "m", contextWindow: 0 }] },
      "providers.p.models[0].contextWindow must be a number above 0, not 0",
    ],
    [
      "a wrong api",
      { ...good, api: "soap" },
      'providers.p.api must be one of openai-completions, openai-responses, openai-codex-responses, azure-openai-responses, anthropic-messages, bedrock-converse-stream, google-generative-ai, google-vertex, google-gemini-cli, ollama-chat, cursor-agent, not "soap"',
    ],
    ["an unknown key", { ...good, wobble: 1 }, "providers.p.wobble is unknown"],
    ["an unknown model key", { ...good, models: [{ id: "m", wobble: 1 }] }, "providers.p.models[0].wobble is unknown"],
    [
      "an unknown override key",
      { modelOverrides: { m: { wobble: 1 } } },
      "providers.p.modelOverrides.m.wobble is unknown",
    ],
    [
      "an unknown transform key",
      { requestTransform: { wobble: 1 } },
      "providers.p.requestTransform.wobble is unknown (known: profile, stripHeaders, setHeaders, extraBody)",
    ],
    ["an unknown compat key", { compat: { wobble: true } }, "providers.p.compat.wobble is unknown"],
    ["models that are no list", { ...good, models: {} }, "providers.p.models must be a list of objects, not an object"],
  ])("G-44 CT-02 %s", (_, provider, message) => {
    expect(at(provider)).toEqual([message]);
  });

  it.each<[string, JsonValue]>([
    ["a custom provider", good],
    ["X-30 apiKeyEnv instead of apiKey", { baseUrl: "u", apiKeyEnv: "K", api: "openai-completions", models: [model] }],
    ["a keyless one", { baseUrl: "u", auth: "none", models: [{ id: "m", api: "openai-responses" }] }],
    ["Bedrock without a key", { baseUrl: "u", api: "bedrock-converse-stream", models: [model] }],
    ["an override", { headers: { "X-Team": "platform" } }],
    ["discovery", { baseUrl: "u", api: "openai-responses", auth: "none", discovery: { type: "ollama" } }],
  ])("G-44 CT-02 %s is fine", (_, provider) => {
    expect(at(provider)).toEqual([]);
  });

  it("G-43 top-level keys that nothing reads are refused: what the file says is never ignored", () => {
    expect(problems({ equivalence: { overrides: {}, exclude: [] } })).toEqual([]);
    expect(problems({ wobble: 1 })).toEqual([
      "wobble is unknown (known: providers, equivalence, profiles, modelBindings)",
    ]);
    expect(problems({ profiles: { a: {} }, modelBindings: { roles: {} } })).toEqual([
      "profiles.a.model_mapping is missing",
      "modelBindings.roles is unknown (known: modelRoles, agentModelOverrides)",
    ]);
    expect(problems([])).toEqual(["the file must be an object, not an empty list"]);
  });

  it("G-43 CT-02 a broken file leaves the built-in models and says what is wrong", () => {
    const registry = new Registry({ env: {}, config: { providers: { p: { ...good, wobble: 1 } } } });
    expect(registry.problems).toEqual(["providers.p.wobble is unknown"]);
    expect(registry.get("p", "m")).toBeUndefined();
    expect(registry.get("openai", "gpt-5.2")?.id).toBe("gpt-5.2");
    const fixed = new Registry({ env: {}, config: { providers: { p: good } } });
    expect(fixed.problems).toEqual([]);
    expect(fixed.get("p", "m")?.id).toBe("m");
  });
});
