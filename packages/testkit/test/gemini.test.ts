import { ApiError, FunctionCallingConfigMode, GoogleGenAI, ThinkingLevel, Type } from "@google/genai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, type ModelServer, startModelServer, text, thinking, turn } from "../src/index.ts";
import { callSignature } from "../src/resolve.ts";
import { drop, headersOf, PIXEL, type Rule, resend, set } from "./mutate.ts";

const MODEL = "gemini-3-flash-preview";

const connect = (server: ModelServer) =>
  new GoogleGenAI({ apiKey: "g-test", httpOptions: { baseUrl: server.baseUrl("gemini") } });

const rich = turn.blocks(
  [
    thinking("let me see"),
    text("Grüße 🎉 "),
    call({ name: "read", args: { path: "ä" }, id: "f1" }),
    call({ name: "list" }),
  ],
  { usage: { input: 10, output: 20, cacheRead: 3, reasoning: 4 }, deltaChars: 3 },
);

interface Joined {
  thoughts: string;
  text: string;
  calls: unknown[];
  signatures: (string | undefined)[];
}

function join(
  parts: readonly { text?: string; thought?: boolean; functionCall?: object; thoughtSignature?: string }[],
): Joined {
  const calls = parts.filter((part) => part.functionCall);
  return {
    thoughts: parts.map((part) => (part.thought ? part.text : "")).join(""),
    text: parts.map((part) => (part.thought ? "" : (part.text ?? ""))).join(""),
    calls: calls.map((part) => part.functionCall),
    signatures: calls.map((part) => part.thoughtSignature),
  };
}

const richJoined: Joined = {
  thoughts: "let me see",
  text: "Grüße 🎉 ",
  calls: [
    { id: "f1", name: "read", args: { path: "ä" } },
    { name: "list", args: {} },
  ],
  signatures: [expect.stringMatching(/^[A-Za-z0-9+/]+=*$/) as unknown as string, undefined],
};

const richUsage = {
  promptTokenCount: 10,
  candidatesTokenCount: 20,
  cachedContentTokenCount: 3,
  thoughtsTokenCount: 4,
  totalTokenCount: 34,
};

describe("Google's SDK reads the scripted model", () => {
  it("a whole answer with thoughts, text, calls and usage", async () => {
    await using server = await startModelServer({ script: [rich] });
    const answer = await connect(server).models.generateContent({ model: MODEL, contents: "hi" });
    expect(join(answer.candidates![0]!.content!.parts!)).toEqual(richJoined);
    expect(answer.usageMetadata).toMatchObject(richUsage);
    expect(answer).toMatchObject({ modelVersion: MODEL, candidates: [{ finishReason: "STOP" }] });
  });

  it.each([
    ["plain", {}],
    ["one byte at a time", { chunk: 1 }],
    ["split characters", { chunk: "split-multibyte" as const }],
    ["CRLF", { crlf: true }],
    ["gzip", { gzip: true }],
  ])("the same answer as a stream: %s", async (_, options) => {
    await using server = await startModelServer({ script: [{ ...rich, ...options }] });
    const parts = [];
    let last: unknown;
    for await (const chunk of await connect(server).models.generateContentStream({ model: MODEL, contents: "hi" })) {
      parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
      last = chunk;
    }
    expect(join(parts)).toEqual(richJoined);
    expect(last).toMatchObject({ usageMetadata: richUsage, candidates: [{ finishReason: "STOP" }] });
  });

  it("streams a JSON array without alt=sse, and takes the key from the query", async () => {
    await using server = await startModelServer({ script: [turn.text("hello there", { deltaChars: 4, chunk: 5 })] });
    const answer = await fetch(`${server.url}/v1beta/models/${MODEL}:streamGenerateContent?key=g-test`, {
      method: "POST",
      body: JSON.stringify({ contents: [{ role: "user", parts: [{ text: "hi" }] }] }),
    });
    const chunks = (await answer.json()) as { candidates: { content: { parts: { text: string }[] } }[] }[];
    expect(chunks.map((chunk) => chunk.candidates[0]!.content.parts[0]!.text)).toEqual(["hell", "o th", "ere", ""]);
  });

  it("counts tokens and lists models", async () => {
    await using server = await startModelServer({ listings: { models: [{ id: "gemini-x", contextLength: 99 }] } });
    const client = connect(server);
    expect((await client.models.countTokens({ model: MODEL, contents: "hi" })).totalTokens).toBeGreaterThan(0);
    const listed = [];
    for await (const model of await client.models.list({ config: { queryBase: true } })) listed.push(model);
    expect(listed).toMatchObject([{ name: "models/gemini-x", inputTokenLimit: 99 }]);
  });

  it("answers under Vertex paths with a bearer token", async () => {
    await using server = await startModelServer({ script: [turn.text("hello")] });
    const path = `/v1/projects/p/locations/global/publishers/google/models/${MODEL}:generateContent`;
    const answer = await fetch(server.baseUrl("vertex") + path, {
      method: "POST",
      headers: { authorization: "Bearer ya29" },
      body: JSON.stringify({ contents: [{ role: "user", parts: [{ text: "hi" }] }] }),
    });
    expect(await answer.json()).toMatchObject({ candidates: [{ content: { parts: [{ text: "hello" }] } }] });
    expect(server.requests[0]).toMatchObject({ model: MODEL, dialect: "gemini" });
  });

  it.each([
    [400, "INVALID_ARGUMENT"],
    [403, "PERMISSION_DENIED"],
    [404, "NOT_FOUND"],
    [429, "RESOURCE_EXHAUSTED"],
    [500, "INTERNAL"],
    [503, "UNAVAILABLE"],
  ])("status %i is an ApiError that names %s", async (status, name) => {
    await using server = await startModelServer({ script: () => turn.error(status, { retryInfo: "12s" }) });
    const error = await connect(server)
      .models.generateContent({ model: MODEL, contents: "hi" })
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ApiError);
    expect((error as ApiError).status).toBe(status);
    expect(JSON.parse((error as ApiError).message).error).toMatchObject({
      status: name,
      details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "12s" }],
    });
  });

  it("an error object in the stream is thrown by the SDK", async () => {
    await using server = await startModelServer({
      script: [turn.withFault({ kind: "stream-error", error: "overloaded" })],
    });
    const read = async () => {
      for await (const _ of await connect(server).models.generateContentStream({ model: MODEL, contents: "hi" }));
    };
    await expect(read()).rejects.toThrow(/503|UNAVAILABLE/);
  });
});

describe("Gemini's rules", () => {
  let server: ModelServer;

  beforeAll(async () => {
    server = await startModelServer({ script: () => turn.text("ok") });
    await connect(server).models.generateContent({
      model: MODEL,
      config: {
        systemInstruction: "be brief",
        maxOutputTokens: 100,
        thinkingConfig: { includeThoughts: true, thinkingLevel: ThinkingLevel.LOW },
        responseMimeType: "application/json",
        responseSchema: { type: Type.OBJECT, properties: { a: { type: Type.STRING } }, required: ["a"] },
        toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY, allowedFunctionNames: ["read"] } },
        tools: [
          {
            functionDeclarations: [
              {
                name: "read",
                description: "reads",
                parameters: {
                  type: Type.OBJECT,
                  properties: {
                    path: { type: Type.STRING, enum: ["a", "b"] },
                    lines: { type: Type.ARRAY, items: { type: Type.INTEGER } },
                  },
                  required: ["path"],
                },
              },
              { name: "list", parametersJsonSchema: { type: "object", additionalProperties: false } },
            ],
          },
        ],
      },
      contents: [
        { role: "user", parts: [{ text: "look" }, { inlineData: { mimeType: "image/png", data: PIXEL } }] },
        {
          role: "model",
          parts: [
            { functionCall: { name: "read", args: { path: "a" } }, thoughtSignature: "c2lnbg==" },
            { functionCall: { id: "f2", name: "list", args: {} } },
          ],
        },
        {
          role: "user",
          parts: [
            { functionResponse: { name: "read", response: { result: "one" } } },
            { functionResponse: { id: "f2", name: "list", response: { result: "two" } } },
          ],
        },
      ],
    });
  });
  afterAll(() => server.close());

  it("accept a tool round with an image and a signature as the SDK writes it", async () => {
    expect(server.requests[0]!.refused).toBeUndefined();
    expect(await resend(server, server.requests[0]!, () => {})).toMatchObject({ status: 200 });
  });

  const declaration = "tools.0.functionDeclarations.0";
  const parameters = `${declaration}.parameters`;
  const rules: Rule[] = [
    ["a call without signature", drop("contents.1.parts.0.thoughtSignature"), "missing a thought_signature"],
    ["a signature that is no base64", set("contents.1.parts.0.thoughtSignature", "a b"), "Base64"],
    [
      "a signature of another call",
      set("contents.1.parts.1.thoughtSignature", callSignature("list", { a: 1 })),
      "not valid",
    ],
    ["a response without its call", drop("contents.1"), "immediately after a function call turn"],
    ["a call without its response", drop("contents.2.parts.1"), "number of function response parts"],
    ["an unanswered last call", drop("contents.2"), "number of function response parts"],
    ["a response of another name", set("contents.2.parts.0.functionResponse.name", "nope"), "names"],
    ["a response with an unknown id", set("contents.2.parts.1.functionResponse.id", "f9"), "f9"],
    ["a call turn at the start", drop("contents.0"), "after a user turn"],
    ["a response that is no object", set("contents.2.parts.0.functionResponse.response", "x"), "Struct"],
    ["a response without name", drop("contents.2.parts.0.functionResponse.name"), "Name cannot be empty"],
    ["no contents", set("contents", []), "contents is not specified"],
    ["a content without parts", set("contents.0.parts", []), "must not be empty"],
    ["an empty text", set("contents.0.parts.0.text", ""), "data"],
    ["an unknown role", set("contents.0.role", "assistant"), "valid role"],
    ["an unknown field", set("foo", 1), 'Unknown name "foo"'],
    ["an unknown field of a part", set("contents.0.parts.0.type", "text"), "contents[0].parts[0]"],
    ["an unknown parameter", set("generationConfig.maxTokens", 5), 'Unknown name "maxTokens"'],
    ["additionalProperties in a schema", set(`${parameters}.additionalProperties`, false), "additionalProperties"],
    ["$ref in a nested schema", set(`${parameters}.properties.path`, { $ref: "#/x" }), "$ref"],
    ["a list of types", set(`${parameters}.properties.path.type`, ["STRING", "NULL"]), "cannot start list"],
    ["const in a schema", set(`${parameters}.properties.path.const`, "a"), "const"],
    ["an enum of numbers", set(`${parameters}.properties.path.enum`, [1]), "enum"],
    ["an enum on an integer", set(`${parameters}.properties.path.type`, "INTEGER"), "only allowed for STRING"],
    ["a foreign string format", set(`${parameters}.properties.path.format`, "uri"), "format"],
    ["an array without items", drop(`${parameters}.properties.lines.items`), "items: missing field"],
    ["a required property that is not there", set(`${parameters}.required`, ["nope"]), "property is not defined"],
    [
      "additionalProperties in an answer schema",
      set("generationConfig.responseSchema.additionalProperties", true),
      "Unknown",
    ],
    ["an answer schema without JSON mode", drop("generationConfig.responseMimeType"), "mime type"],
    ["level and budget together", set("generationConfig.thinkingConfig.thinkingBudget", 5), "one of"],
    ["a function name with a blank", set(`${declaration}.name`, "a b"), "Invalid function name"],
    ["two functions of one name", set(`${declaration}.name`, "list"), "Duplicate"],
    ["allowed names in AUTO mode", set("toolConfig.functionCallingConfig.mode", "AUTO"), "ANY"],
    [
      "an allowed name that is not declared",
      set("toolConfig.functionCallingConfig.allowedFunctionNames", ["x"]),
      "'x'",
    ],
  ];

  it.each(rules)("refuse %s", async (_, change, message) => {
    const answer = await resend(server, server.requests[0]!, change);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text).error).toMatchObject({
      code: 400,
      status: "INVALID_ARGUMENT",
      message: expect.stringContaining(message),
    });
  });

  it("accept the placeholder signature, calls of earlier turns and older models without one", async () => {
    const original = server.requests[0]!;
    const unsigned = drop("contents.1.parts.0.thoughtSignature");
    const placeholder = set("contents.1.parts.0.thoughtSignature", "skip_thought_signature_validator");
    expect((await resend(server, original, placeholder)).status).toBe(200);
    const laterTurn = await resend(server, original, (body) => {
      unsigned(body);
      body.contents.push({ role: "model", parts: [{ text: "ok" }] }, { role: "user", parts: [{ text: "next" }] });
    });
    expect(laterTurn.status).toBe(200);
    const older = "/v1beta/models/gemini-2.5-pro:generateContent";
    const onOlder = (body: Parameters<typeof unsigned>[0]) => {
      unsigned(body);
      delete body.generationConfig.thinkingConfig;
    };
    expect((await resend(server, original, onOlder, older)).status).toBe(200);
    expect((await resend(server, original, unsigned, older)).text).toContain("Thinking level");
  });

  it("refuse a missing key as Google does: 403, and a wrong one: 400 API_KEY_INVALID", async () => {
    await using picky = await startModelServer({ script: () => turn.text("ok"), auth: { key: "other" } });
    const original = server.requests[0]!;
    const { "x-goog-api-key": key, ...headers } = headersOf(original);
    const post = (url: string, extra: Record<string, string>) =>
      fetch(url + original.path, { method: "POST", headers: { ...headers, ...extra }, body: original.text });
    expect((await post(server.url, {})).status).toBe(403);
    const wrong = await post(picky.url, { "x-goog-api-key": key! });
    expect(wrong.status).toBe(400);
    expect(await wrong.json()).toMatchObject({ error: { details: [{ reason: "API_KEY_INVALID" }] } });
  });
});
