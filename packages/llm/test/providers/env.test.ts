import { type ModelServer, startModelServer, turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { builtinCatalog, getLatestModel } from "../../src/catalog/index.ts";
import { Client } from "../../src/client/client.ts";
import {
  createProvider,
  findRow,
  providerRows,
  providersFromEnv,
  resolveCredential,
} from "../../src/providers/index.ts";
import type { JsonObject } from "../../src/types/json.ts";
import { Message } from "../../src/types/message.ts";
import { depsWith, streamed } from "./kit.ts";

let server: ModelServer;
beforeEach(async () => {
  server = await startModelServer({ script: () => turn.text("hello"), strict: false, auth: "none" });
});
afterEach(() => server.close());

const ask = (model: string) => ({ model, messages: [Message.user("hi")] });
const names = (env: Record<string, string>, include: string[] = []) =>
  Object.keys(providersFromEnv(env, depsWith(env), { include }));

describe("CL-02 providers from the environment", () => {
  it("CL-02 A-001 only providers with a key, in the order openai, anthropic, gemini, others", () => {
    expect(names({})).toEqual([]);
    expect(names({ GOOGLE_API_KEY: "g", ANTHROPIC_API_KEY: "a" })).toEqual(["anthropic", "gemini"]);
    expect(names({ GROQ_API_KEY: "q", GEMINI_API_KEY: "g", ANTHROPIC_OAUTH_TOKEN: "a", OPENAI_API_KEY: "o" })).toEqual([
      "openai",
      "anthropic",
      "gemini",
      "groq",
    ]);
  });

  it("CL-02 clouds by their own key, local servers only when asked for, a shared key names its first owner", () => {
    const azure = { AZURE_OPENAI_API_KEY: "z", AZURE_OPENAI_RESOURCE_NAME: "r" };
    expect(names(azure)).toEqual(["azure-openai"]);
    expect(names({ OLLAMA_API_KEY: "o", OPENAI_API_KEY: "k" }, ["ollama", "lm-studio"])).toEqual([
      "openai",
      "ollama",
      "lm-studio",
    ]);
    expect(names({ OLLAMA_API_KEY: "o" })).toEqual([]);
    expect(names({ XAI_API_KEY: "x" })).toEqual(["xai"]);
    expect(names({ CURSOR_ACCESS_TOKEN: "c", GITLAB_TOKEN: "g" })).toEqual([]);
  });

  it("CL-02 an empty environment makes a client that refuses its first call", async () => {
    const client = Client.fromEnv({ deps: depsWith({}) });
    await expect(client.complete(ask("x"))).rejects.toMatchObject({ name: "ConfigurationError" });
  });

  it("CL-02 A-009 CL-08 the three native paths, in both modes, and A-010 QK-01 each vendor's own key header", async () => {
    const env = {
      OPENAI_API_KEY: "sk-openai",
      OPENAI_BASE_URL: `${server.baseUrl("openai")}/`,
      OPENAI_ORG_ID: "org-1",
      OPENAI_PROJECT_ID: "proj-1",
      ANTHROPIC_API_KEY: "sk-anthropic",
      ANTHROPIC_BASE_URL: server.baseUrl("anthropic"),
      GEMINI_API_KEY: "sk-gemini",
      GEMINI_BASE_URL: server.baseUrl("gemini"),
    };
    const providers = providersFromEnv(env, depsWith(env));
    for (const [name, model] of [
      ["openai", "gpt-5.2"],
      ["anthropic", "claude-opus-4-6"],
      ["gemini", "gemini-2.5-pro"],
    ] as const) {
      await providers[name]!.complete(ask(model), {});
      await streamed(providers[name]!, ask(model));
    }
    expect(server.requests.map(({ path }) => path)).toEqual([
      "/v1/responses",
      "/v1/responses",
      "/v1/messages",
      "/v1/messages",
      "/v1beta/models/gemini-2.5-pro:generateContent",
      "/v1beta/models/gemini-2.5-pro:streamGenerateContent",
    ]);
    expect(server.requests[0]!.headers).toMatchObject({
      authorization: "Bearer sk-openai",
      "openai-organization": "org-1",
      "openai-project": "proj-1",
    });
    expect(server.requests[2]!.headers["x-api-key"]).toBe("sk-anthropic");
    expect(server.requests[4]!.headers["x-goog-api-key"]).toBe("sk-gemini");
  });

  it("CL-02 a key may be a function, asked for on every request", async () => {
    let count = 0;
    const adapter = createProvider("groq", {
      deps: depsWith({}),
      baseUrl: server.baseUrl("chat"),
      apiKey: async () => `token-${count++}`,
    });
    await adapter.complete(ask("m"), {});
    await adapter.complete(ask("m"), {});
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(["Bearer token-0", "Bearer token-1"]);
  });

  it("CT-05 every provider of the environment table is a row with its variables, first wins", () => {
    const table =
      "GROQ CEREBRAS FIREWORKS FIREPASS TOGETHER AIMLAPI SYNTHETIC NVIDIA NANO_GPT VENICE LITELLM XIAOMI MOONSHOT XAI OPENROUTER MISTRAL ZAI ZHIPU MINIMAX MINIMAX_CODE MINIMAX_CODE_CN OPENCODE QIANFAN ZENMUX VLLM AI_GATEWAY CLOUDFLARE_AI_GATEWAY ALIBABA_CODING_PLAN DEEPSEEK KILO OLLAMA_CLOUD WAFER_PASS WAFER_SERVERLESS OLLAMA LLAMA_CPP LM_STUDIO";
    const variables = new Set(providerRows.flatMap(({ keyEnv }) => keyEnv));
    for (const name of table.split(" ")) expect(variables).toContain(`${name}_API_KEY`);
    expect(findRow("huggingface")?.keyEnv).toEqual(["HUGGINGFACE_HUB_TOKEN", "HF_TOKEN"]);
    expect(findRow("qwen-portal")?.keyEnv).toEqual(["QWEN_OAUTH_TOKEN", "QWEN_PORTAL_API_KEY"]);
    expect(findRow("xai-oauth")?.keyEnv).toEqual(["XAI_OAUTH_TOKEN", "XAI_API_KEY"]);
    expect(findRow("google")?.id).toBe("gemini");
    expect(new Set(providerRows.map(({ id }) => id)).size).toBe(providerRows.length);
  });

  it("TM-03 the OpenAI stream timeouts may come from the environment", async () => {
    const env = {
      OPENAI_API_KEY: "k",
      OPENAI_BASE_URL: server.baseUrl("openai"),
      LATHE_OPENAI_STREAM_FIRST_EVENT_TIMEOUT_MS: "20",
    };
    const silent = await startModelServer({
      script: [turn.withFault({ kind: "stall", afterEvents: 0 })],
      strict: false,
      auth: "none",
    });
    const adapter = createProvider("openai", { deps: depsWith(env), baseUrl: silent.baseUrl("openai") });
    await expect(streamed(adapter, ask("gpt-5.2"))).rejects.toMatchObject({ phase: "firstEvent" });
    await silent.close();
  });
});

describe("models outside the catalog", () => {
  it("CT-01 CL-03 an unknown id passes unchanged, with effort in the vendor's newest way", async () => {
    const env = { ANTHROPIC_API_KEY: "a", ANTHROPIC_BASE_URL: server.baseUrl("anthropic") };
    const anthropic = createProvider("anthropic", { deps: depsWith(env) });
    await anthropic.complete({ ...ask("claude-next-9"), reasoningEffort: "high" }, {});
    expect(server.requests[0]!.body).toMatchObject({ model: "claude-next-9", thinking: { type: "adaptive" } });
    const openai = createProvider("openai", { deps: depsWith({}), apiKey: "k", baseUrl: server.baseUrl("openai") });
    await openai.complete({ ...ask("gpt-99"), reasoningEffort: "xhigh" }, {});
    expect(server.requests[1]!.body).toMatchObject({ model: "gpt-99", reasoning: { effort: "xhigh" } });
  });

  it.each([
    ["eu.anthropic.claude-next-v1:0", { thinking: { type: "adaptive" }, output_config: { effort: "high" } }, 0],
    ["meta.llama9-v1:0", undefined, 1],
  ])(
    "CT-01 AD-60 DM-06 Bedrock: %s is asked for effort as its maker wants, or not at all",
    async (id, fields, warned) => {
      const baseUrl = server.baseUrl("bedrock");
      const bedrock = createProvider("bedrock", { deps: depsWith({ AWS_BEARER_TOKEN_BEDROCK: "b" }), baseUrl });
      const { warnings } = await bedrock.complete({ ...ask(id), reasoningEffort: "high" }, {});
      const body = server.requests[0]!.body as JsonObject;
      expect(warnings).toHaveLength(warned);
      if (fields === undefined) expect(body).not.toHaveProperty("additionalModelRequestFields");
      else expect(body["additionalModelRequestFields"]).toMatchObject(fields);
    },
  );

  it.each([
    ["qwen3:8b", true],
    ["gpt-oss:20b", "low"],
  ])("AD-80 CT-01 Ollama takes a level for gpt-oss only: for %s, think is %s", async (id, think) => {
    const baseUrl = server.baseUrl("ollama");
    const ollama = createProvider("ollama", { deps: depsWith({}), api: "ollama-chat", baseUrl });
    await ollama.complete({ ...ask(id), reasoningEffort: "low" }, {});
    expect(server.requests[0]!.body).toMatchObject({ think });
  });

  it("CT-01 an unknown id of a family can do what the newest of it can, and is asked as that one wants", async () => {
    const newest = getLatestModel("anthropic")!;
    const env = { ANTHROPIC_API_KEY: "a", ANTHROPIC_BASE_URL: server.baseUrl("anthropic") };
    const anthropic = createProvider("anthropic", { deps: depsWith(env) });
    const { warnings } = await anthropic.complete({ ...ask("claude-next-9"), temperature: 0.3 }, {});
    // The newest model refuses a request with a temperature.
    expect(newest.sampling).toBe("never");
    expect(warnings.map(({ message }) => message)).toEqual([
      "temperature was not sent: claude-next-9 does not accept it",
    ]);
    expect(server.requests[0]!.body).toMatchObject({ model: "claude-next-9", max_tokens: newest.maxOutput });
    const body = server.requests[0]!.body as Record<string, unknown>;
    expect(body["temperature"]).toBeUndefined();
  });

  it("CT-01 an unknown id of no family is taken for less: its server may be anybody's", async () => {
    const openai = createProvider("openai", { deps: depsWith({}), apiKey: "k", baseUrl: server.baseUrl("openai") });
    await openai.complete({ ...ask("llama-99-tiny"), temperature: 0.3 }, {});
    expect(server.requests[0]!.body).toMatchObject({ model: "llama-99-tiny", temperature: 0.3 });
  });

  it("CT-01 a tuned model is the one it was tuned from", async () => {
    expect(builtinCatalog.get("openai", "ft:gpt-5.2-2025-12-11:team::x1")?.id).toBe("gpt-5.2");
  });
});

describe("CT-03 credentials", () => {
  it("CT-03 G-49 option, stored key, stored OAuth, environment, file: the next when one is gone", async () => {
    const all = {
      explicit: "from-option",
      stored: async () => ({ kind: "key", value: "from-store" }) as const,
      oauth: async () => ({ kind: "bearer", value: "from-oauth" }) as const,
      env: { VENDOR_KEY: "from-env" },
      keyEnv: ["VENDOR_KEY"],
      configured: "from-file",
    };
    const seen: (string | undefined)[] = [];
    const { explicit: _, ...noOption } = all;
    const { stored: __, ...noStore } = noOption;
    const { oauth: ___, ...noOauth } = noStore;
    for (const sources of [all, noOption, noStore, noOauth, { ...noOauth, env: {} }, { env: {}, keyEnv: [] }]) {
      seen.push((await resolveCredential(sources))?.value);
    }
    expect(seen).toEqual(["from-option", "from-store", "from-oauth", "from-env", "from-file", undefined]);
    expect((await resolveCredential({ ...noStore, fileKeyBeatsOAuth: true }))?.value).toBe("from-file");
  });

  it("CT-03 X-30 a configured key is the name of a variable first, the key itself otherwise", async () => {
    const env = { MY_KEY: "secret" };
    expect((await resolveCredential({ env, keyEnv: [], configured: "MY_KEY" }))?.value).toBe("secret");
    expect((await resolveCredential({ env, keyEnv: [], configured: "sk-literal" }))?.value).toBe("sk-literal");
  });

  it("CT-03 no key: the error names the provider and the variable; keyless servers just get none", async () => {
    const deps = depsWith({});
    const groq = createProvider("groq", { deps, baseUrl: server.baseUrl("chat") });
    await expect(groq.complete(ask("m"), {})).rejects.toMatchObject({
      name: "CredentialError",
      message: expect.stringMatching(/groq.*GROQ_API_KEY/),
    });
    expect(server.requests).toHaveLength(0);
    await createProvider("lm-studio", { deps, baseUrl: server.baseUrl("chat") }).complete(ask("m"), {});
    expect(server.requests[0]!.headers.authorization).toBeUndefined();
  });
});

describe("AD-50 Azure", () => {
  const key = { AZURE_OPENAI_API_KEY: "az" };

  it.each([
    ["an option", {}, true],
    ["AZURE_OPENAI_BASE_URL", { AZURE_OPENAI_BASE_URL: "SERVER" }, false],
  ])(
    "AD-50 A-302 base from %s, api-key header, version in the query, deployment on the wire",
    async (_, base, option) => {
      const url = server.baseUrl("azure");
      const env = { ...key, ...base, AZURE_OPENAI_DEPLOYMENT_NAME_MAP: "gpt-4.1=gpt-41-prod, o3 = o3-prod" };
      if (!option) Object.assign(env, { AZURE_OPENAI_BASE_URL: url });
      const adapter = createProvider("azure-openai", { deps: depsWith(env), ...(option ? { baseUrl: url } : {}) });
      const response = await adapter.complete(ask("gpt-4.1"), {});
      const [request] = server.requests;
      expect(request!.path).toBe("/openai/v1/responses");
      expect(request!.query).toEqual({ "api-version": "v1" });
      expect(request!.headers["api-key"]).toBe("az");
      expect(request!.headers.authorization).toBeUndefined();
      expect(request!.body.model).toBe("gpt-41-prod");
      expect(response.model).toBe("gpt-4.1");
    },
  );

  it("AD-50 a resource name stands for its host; without any the error says what to set", async () => {
    const urls: string[] = [];
    const deps = depsWith({ ...key, AZURE_OPENAI_RESOURCE_NAME: "acme", AZURE_OPENAI_API_VERSION: "2026-01-01" });
    const fetch = async (request: { url: string }) => {
      urls.push(request.url);
      throw new Error("stop here");
    };
    const adapter = createProvider("azure-openai", { deps: { ...deps, fetch } });
    await expect(adapter.complete(ask("o3"), {})).rejects.toThrow();
    expect(urls).toEqual(["https://acme.openai.azure.com/openai/v1/responses?api-version=2026-01-01"]);
    expect(() => createProvider("azure-openai", { deps: depsWith(key) })).toThrow(/AZURE_OPENAI_BASE_URL/);
  });

  it("AD-50 a token function goes as a bearer", async () => {
    const adapter = createProvider("azure-openai", {
      deps: depsWith({}),
      baseUrl: server.baseUrl("azure"),
      apiKey: async () => "entra-token",
    });
    await adapter.complete(ask("o3"), {});
    expect(server.requests[0]!.headers).toMatchObject({ authorization: "Bearer entra-token" });
  });
});

describe("AD-90 what is not built in", () => {
  it.each(["cursor", "github-copilot", "gitlab-duo", "google-gemini-cli"])(
    "AD-90 %s fails at construction with its name",
    (id) => {
      expect(() => createProvider(id, { deps: depsWith({}) })).toThrowError(
        expect.objectContaining({ name: "ConfigurationError", message: expect.stringContaining(id) }),
      );
    },
  );

  it("AD-90 an unknown id needs an api and a base URL, and then works", async () => {
    const deps = depsWith({});
    expect(() => createProvider("my-proxy", { deps })).toThrow(/my-proxy.*api.*baseUrl/);
    const adapter = createProvider("my-proxy", {
      deps,
      api: "openai-completions",
      baseUrl: server.baseUrl("chat"),
      configuredKey: "sk-file",
    });
    const response = await adapter.complete(ask("m"), {});
    expect(response.provider).toBe("my-proxy");
    expect(server.requests[0]!.headers.authorization).toBe("Bearer sk-file");
  });
});

describe("clouds", () => {
  it("CL-02 AD-60 AD-70 a key alone registers a cloud only with what it needs besides", () => {
    expect(names({ AWS_BEARER_TOKEN_BEDROCK: "b" })).toEqual(["amazon-bedrock"]);
    expect(names({ GOOGLE_CLOUD_API_KEY: "g" })).toEqual([]);
    expect(names({ GOOGLE_CLOUD_API_KEY: "g", GCP_PROJECT: "p", VERTEX_LOCATION: "global" })).toEqual([
      "google-vertex",
    ]);
    expect(names({ AZURE_OPENAI_API_KEY: "a" })).toEqual([]);
  });

  it("AD-60 AD-70 Bedrock and Vertex by row: their paths, with a bearer or an API key", async () => {
    const bedrock = createProvider("amazon-bedrock", {
      deps: depsWith({ AWS_BEARER_TOKEN_BEDROCK: "bt" }),
      baseUrl: server.baseUrl("bedrock"),
    });
    await streamed(bedrock, ask("anthropic.claude-sonnet-4-6"));
    const env = { GOOGLE_CLOUD_API_KEY: "gk", GOOGLE_CLOUD_PROJECT: "proj", GOOGLE_VERTEX_LOCATION: "europe-west1" };
    const vertex = createProvider("vertex", { deps: depsWith(env), baseUrl: server.baseUrl("vertex") });
    await streamed(vertex, ask("gemini-2.5-pro"));
    expect(server.requests.map(({ path }) => decodeURIComponent(path))).toEqual([
      "/model/anthropic.claude-sonnet-4-6/converse-stream",
      "/v1/projects/proj/locations/europe-west1/publishers/google/models/gemini-2.5-pro:streamGenerateContent",
    ]);
    expect(server.requests[0]!.headers.authorization).toBe("Bearer bt");
    expect(server.requests[1]!.headers["x-goog-api-key"]).toBe("gk");
    expect(() => createProvider("vertex", { deps: depsWith({}) })).toThrow(/GOOGLE_CLOUD_PROJECT/);
  });
});
