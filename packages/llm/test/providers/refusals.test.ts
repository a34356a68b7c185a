import { describe, expect, it } from "vitest";
import { Client } from "../../src/client/client.ts";
import { defaultDeps } from "../../src/deps.ts";
import { generateObject } from "../../src/generate/object.ts";
import { createProvider, type ProviderOptions } from "../../src/providers/index.ts";
import type { TransportRequest } from "../../src/types/adapter.ts";
import { InvalidRequestError } from "../../src/types/errors.ts";
import type { JsonObject } from "../../src/types/json.ts";
import { Message } from "../../src/types/message.ts";
import type { Request } from "../../src/types/request.ts";

interface Sent {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

/** What a provider would send, captured at the transport. */
async function sent(
  provider: string,
  request: Partial<Request>,
  options: ProviderOptions = {},
  env = {},
): Promise<Sent> {
  let seen: TransportRequest | undefined;
  const deps = defaultDeps({
    env,
    fetch: async (given) => {
      seen = given;
      throw new InvalidRequestError("far enough", { provider });
    },
  });
  const adapter = createProvider(provider, { apiKey: "k&1", ...options, deps });
  await adapter.complete({ model: "m", messages: [Message.user("hi")], ...request }, {}).catch((error: unknown) => {
    if (!(error instanceof InvalidRequestError) || error.message !== "far enough") throw error;
  });
  if (seen === undefined) throw new Error("nothing was sent");
  return { url: seen.url, headers: seen.headers, body: JSON.parse((seen.body ?? []).join("")) as JsonObject };
}

/** The warnings that come with an answer. */
async function warned(
  provider: string,
  request: Partial<Request>,
  answer: JsonObject,
): Promise<(string | undefined)[]> {
  const body = (async function* () {
    yield Buffer.from(JSON.stringify(answer));
  })();
  const headers = { "content-type": "application/json" };
  const deps = defaultDeps({ env: {}, fetch: async () => ({ status: 200, headers, body }) });
  const adapter = createProvider(provider, { apiKey: "k", deps });
  const response = await adapter.complete({ model: "m", messages: [Message.user("hi")], ...request }, {});
  return response.warnings.map(({ message }) => message);
}

const tools = [{ name: "look", description: "Looks.", parameters: { type: "object", properties: {} } }];
const person = { type: "object", properties: { age: { type: "number" } }, required: ["age"] };

describe("what a model refuses is not sent", () => {
  it.each([
    ["anthropic", "claude-opus-4-7", {}, undefined],
    ["anthropic", "claude-sonnet-4-6", {}, 0.2],
    ["openai", "gpt-5", {}, undefined],
    ["openai", "gpt-5.2", {}, 0.2],
    ["openai", "gpt-5.2", { reasoningEffort: "off" }, 0.2],
    ["openai", "gpt-5.2", { reasoningEffort: "high" }, undefined],
    ["openai", "gpt-4.1", {}, 0.2],
    ["openai", "a-model-of-tomorrow", {}, 0.2],
  ] as const)("QK-01 temperature to %s %s %j", async (provider, model, more, expected) => {
    const { body } = await sent(provider, { model, temperature: 0.2, ...more });
    expect(body["temperature"]).toBe(expected);
  });

  it("QK-01 a dropped temperature is reported", async () => {
    const answer = { id: "r", model: "gpt-5", status: "completed", output: [] };
    expect(await warned("openai", { model: "gpt-5", temperature: 0, topP: 0.5 }, answer)).toEqual([
      "temperature was not sent: gpt-5 does not accept it",
      "topP was not sent: gpt-5 does not accept it",
    ]);
  });

  it("GN-06 a model that does not accept forced tool calls is offered the tools and told the schema", async () => {
    const model = "claude-opus-5-5";
    const forced = await sent("anthropic", { model, tools, toolChoice: { mode: "required" } });
    expect(forced.body["tool_choice"]).toEqual({ type: "auto" });
    const answer = { id: "r", model, content: [], stop_reason: "end_turn", usage: {} };
    expect(
      await warned("anthropic", { model, tools, toolChoice: { mode: "named", toolName: "look" } }, answer),
    ).toEqual(["tool choice named was sent as auto: claude-opus-5-5 does not accept forced tool calls"]);
    const structured = await sent("anthropic", { model, responseFormat: { type: "json_schema", jsonSchema: person } });
    expect(structured.body["tools"]).toBeUndefined();
    expect(JSON.stringify(structured.body["system"])).toContain("JSON Schema");
    const older = await sent("anthropic", { model: "claude-opus-4-6", tools, toolChoice: { mode: "required" } });
    expect(older.body["tool_choice"]).toEqual({ type: "any" });
  });

  it("QK-01 DeepSeek's thinking is switched off by its own word", async () => {
    const off = await sent("deepseek", { model: "deepseek-v4-pro", reasoningEffort: "off" });
    expect([off.body["thinking"], off.body["reasoning_effort"]]).toEqual([{ type: "disabled" }, undefined]);
    const on = await sent("deepseek", { model: "deepseek-v4-pro", reasoningEffort: "max" });
    expect([on.body["thinking"], on.body["reasoning_effort"]]).toEqual([{ type: "enabled" }, "max"]);
  });
});

describe("GN-06 JSON mode where a server takes no schema", () => {
  it("GN-06 the schema goes into the system text and the answer is checked here", async () => {
    const format = { type: "json_schema", jsonSchema: person } as const;
    const { body } = await sent("deepseek", {
      messages: [Message.system("rules"), Message.user("x")],
      responseFormat: format,
    });
    expect(body["response_format"]).toEqual({ type: "json_object" });
    const [system] = body["messages"] as JsonObject[];
    expect(system).toMatchObject({ role: "system", content: expect.stringMatching(/^rules\n\n.*"age"/s) });
    const other = await sent("groq", { responseFormat: format });
    expect(other.body["response_format"]).toMatchObject({ type: "json_schema" });
    expect(other.body["messages"]).toEqual([{ role: "user", content: "hi" }]);
  });

  it.each([
    ['{"age":"old"}', /age must be/],
    ['{"age":', /./],
  ])("GN-06 %s is refused after one request", async (content, message) => {
    let requests = 0;
    const answer = {
      id: "r",
      model: "m",
      choices: [{ message: { role: "assistant", content }, finish_reason: "stop" }],
    };
    const deps = defaultDeps({
      env: {},
      fetch: async () => {
        requests += 1;
        const body = (async function* () {
          yield Buffer.from(JSON.stringify(answer));
        })();
        return { status: 200, headers: { "content-type": "application/json" }, body };
      },
    });
    const client = new Client({ providers: { deepseek: createProvider("deepseek", { apiKey: "k", deps }) }, deps });
    await expect(generateObject({ client, model: "m", prompt: "x", schema: person })).rejects.toThrow(message);
    expect(requests).toBe(1);
  });
});

describe("keys and retention", () => {
  it("X-25 the key of Gemini is a header by default and a query parameter on request", async () => {
    const header = await sent("gemini", {});
    expect([header.headers["x-goog-api-key"], new URL(header.url).searchParams.get("key")]).toEqual(["k&1", null]);
    const query = await sent("gemini", {}, { keyInQuery: true });
    expect([query.headers["x-goog-api-key"], new URL(query.url).searchParams.get("key")]).toEqual([undefined, "k&1"]);
  });

  it("PC-03 request option, model, provider, environment, default: each yields to the one before it", async () => {
    const request = { providerOptions: { openai: { cache_retention: "short" } } };
    const row = {
      ...{
        id: "m",
        provider: "openai",
        displayName: "m",
        contextWindow: 1000,
        aliases: [],
        supportsLongCacheRetention: true,
      },
      ...{ supportsTools: true, supportsVision: false, supportsReasoning: false, input: ["text"] as const },
    };
    const plain = { model: () => row };
    const kept = { model: () => ({ ...row, cacheRetention: "long" as const }) };
    const provider = { cacheRetention: "short" } as const;
    const env = { LATHE_CACHE_RETENTION: "long" };
    const retention = async (...given: [Partial<Request>, ProviderOptions, JsonObject]) =>
      (await sent("openai", given[0], given[1], given[2])).body["prompt_cache_retention"];
    expect([
      await retention(request, { ...kept, ...provider }, env),
      await retention({}, { ...kept, ...provider }, env),
      await retention({}, { ...plain, ...provider }, env),
      await retention({}, plain, env),
      await retention({}, plain, {}),
    ]).toEqual([undefined, "24h", undefined, "24h", undefined]);
  });
});
