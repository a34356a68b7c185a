import { describe, expect, it } from "vitest";
import { geminiEndpoint } from "../../src/protocols/gemini/endpoint.ts";
import { googleGenerativeAi as gemini, googleVertex } from "../../src/protocols/gemini/index.ts";
import { createSegmentCache } from "../../src/segments.ts";
import { InvalidRequestError } from "../../src/types/errors.ts";
import { type ContentPart, Message } from "../../src/types/message.ts";
import type { Request, ToolDefinition } from "../../src/types/request.ts";
import { encode, modelRow } from "./support.ts";

const model = "gemini-3-pro";
const row = modelRow(model, { thinking: { mode: "level", levels: ["low", "high"] } });
const run = (request: Partial<Request>, more = {}) =>
  encode(gemini, "gemini", { model, messages: [Message.user("hi")], ...request }, { model: row, ...more });
const own = { provider: "gemini", model };
const call = (id: string, name: string, args = {}, more = {}): ContentPart => ({
  kind: "tool_call",
  toolCall: { id, name, arguments: args, type: "function", ...more },
});
const read: ToolDefinition = {
  name: "read",
  description: "Reads.",
  parameters: {
    type: "object",
    properties: { path: { type: "string" } },
    required: ["path"],
    additionalProperties: false,
  },
};
const png = Uint8Array.of(1, 2, 3);

describe("AD-40 Gemini request", () => {
  it("DM-01 A-014 A-013 five roles in one golden, system text only in its slot", () => {
    const { json } = run({
      messages: [
        Message.system("be brief"),
        Message.developer("and kind"),
        Message.user("hi"),
        Message.assistant([{ kind: "text", text: "ok" }, call("c1", "read", { path: "a" })]),
        Message.toolResult({ toolCallId: "c1", content: "text of a" }),
        Message.system("later"),
      ],
    });
    expect(json).toEqual({
      systemInstruction: { parts: [{ text: "be brief\n\nand kind\n\nlater" }] },
      contents: [
        { role: "user", parts: [{ text: "hi" }] },
        {
          role: "model",
          parts: [
            { text: "ok" },
            {
              functionCall: { name: "read", args: { path: "a" } },
              thoughtSignature: "skip_thought_signature_validator",
            },
          ],
        },
        { role: "user", parts: [{ functionResponse: { name: "read", response: { result: "text of a" } } }] },
      ],
    });
  });

  it("A-019 a text-only request is nothing but contents", () => {
    expect(run({}).json).toEqual({ contents: [{ role: "user", parts: [{ text: "hi" }] }] });
  });

  it("AD-40 DM-04 two parallel calls, signature on the first only, results in one content in call order", () => {
    const { json } = run({
      messages: [
        Message.user("go"),
        Message.assistant([
          { kind: "thinking", thinking: { text: "plan", redacted: false, signature: "t", origin: own } },
          call("v1", "read", { path: "a" }, { signature: "s1", origin: { ...own, itemId: "v1" } }),
          call("call_2", "list"),
        ]),
        Message.toolResult({ toolCallId: "v1", content: { lines: 3 } }),
        Message.toolResult({ toolCallId: "call_2", content: "no such folder", isError: true }),
      ],
    });
    expect(json["contents"]).toEqual([
      { role: "user", parts: [{ text: "go" }] },
      {
        role: "model",
        parts: [
          { text: "plan", thought: true, thoughtSignature: "t" },
          { functionCall: { id: "v1", name: "read", args: { path: "a" } }, thoughtSignature: "s1" },
          { functionCall: { name: "list", args: {} } },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { id: "v1", name: "read", response: { lines: 3 } } },
          { functionResponse: { name: "list", response: { error: "no such folder" } } },
        ],
      },
    ]);
  });

  it("AD-40 results come right after their calls, whatever the user said in the meantime; images for older models follow with a line of text", () => {
    const { json } = run(
      {
        messages: [
          Message.user("go"),
          Message.assistant([call("c1", "shot")]),
          Message.user("hurry"),
          Message.toolResult({ toolCallId: "c1", content: "done", images: [{ data: png }] }),
        ],
      },
      { model: modelRow("gemini-2.5-pro", { thinking: { mode: "budget", levels: [] } }) },
    );
    expect((json["contents"] as unknown[]).slice(2)).toEqual([
      { role: "user", parts: [{ functionResponse: { name: "shot", response: { result: "done" } } }] },
      { role: "user", parts: [{ text: "hurry" }] },
      {
        role: "user",
        parts: [{ text: "Image returned by shot:" }, { inlineData: { mimeType: "image/png", data: "AQID" } }],
      },
    ]);
  });

  it.each([
    ["a picture", { data: png }, true],
    ["a format that results do not take", { data: png, mediaType: "image/gif" }, false],
    ["an address", { url: "https://x.example/a.png" }, false],
  ])("AD-40 Gemini 3 gets %s inside the result when it may be there", (_, image, isInside) => {
    const messages = [
      Message.user("go"),
      Message.assistant([call("c1", "shot")]),
      Message.toolResult({ toolCallId: "c1", content: "done", images: [image] }),
    ];
    const { json } = run({ messages });
    const contents = json["contents"] as { parts: { functionResponse?: { parts?: unknown } }[] }[];
    const inside = isInside ? [{ inlineData: { mimeType: "image/png", data: "AQID" } }] : undefined;
    expect(contents[2]!.parts[0]!.functionResponse?.parts).toEqual(inside);
    expect(contents).toHaveLength(isInside ? 3 : 4);
  });

  it("AD-40 a result whose call is unknown is an InvalidRequestError", () => {
    const messages = [Message.user("a"), Message.toolResult({ toolCallId: "nope", content: "x" })];
    expect(() => run({ messages })).toThrow(InvalidRequestError);
    expect(() => run({ messages })).toThrow(/nope/);
  });

  it("AD-40 older models get no signature placeholder", () => {
    const messages = [Message.user("a"), Message.assistant([call("c", "read")])];
    const { text } = run({ messages }, { model: modelRow("gemini-2.5-pro", { thinking: { mode: "budget" } }) });
    expect(text).not.toContain("thoughtSignature");
  });

  it("DM-05 thinking and signatures of another model never leave; its text only when asked for", () => {
    const foreign = { provider: "anthropic", model: "claude" };
    const messages = [
      Message.user("a"),
      Message.assistant([
        { kind: "thinking", thinking: { text: "secret plan", signature: "s1", redacted: false, origin: foreign } },
        { kind: "redacted_thinking", thinking: { text: "", signature: "abc", redacted: true, origin: foreign } },
        { kind: "text", text: "b", signature: "s2", origin: foreign },
      ]),
      Message.user("c"),
    ];
    const { text } = run({ messages });
    for (const leak of ["secret plan", "s1", "abc", "s2"]) expect(text).not.toContain(leak);
    const asText = run({ messages, providerOptions: { gemini: { foreign_thinking: "text" } } });
    expect((asText.json["contents"] as unknown[])[1]).toEqual({
      role: "model",
      parts: [{ text: "secret plan" }, { text: "b" }],
    });
  });

  it("DM-03 A-025 text, image, text keep their order; bytes inline, addresses as file data", () => {
    const { json } = run({
      messages: [
        Message.user([
          { kind: "text", text: "before" },
          { kind: "image", image: { data: png, mediaType: "image/heic" } },
          { kind: "image", image: { url: "https://x.test/a.jpg?v=1" } },
          { kind: "text", text: "after" },
        ]),
      ],
    });
    expect(json["contents"]).toEqual([
      {
        role: "user",
        parts: [
          { text: "before" },
          { inlineData: { mimeType: "image/heic", data: "AQID" } },
          { fileData: { mimeType: "image/jpeg", fileUri: "https://x.test/a.jpg?v=1" } },
          { text: "after" },
        ],
      },
    ]);
  });

  it("A-021 audio and documents are inline data", () => {
    const { json } = run({
      messages: [
        Message.user([
          { kind: "audio", audio: { data: png } },
          { kind: "document", document: { data: png, fileName: "a.pdf" } },
        ]),
      ],
    });
    expect(json["contents"]).toMatchObject([
      {
        parts: [
          { inlineData: { mimeType: "audio/wav", data: "AQID" } },
          { inlineData: { mimeType: "application/pdf", data: "AQID" } },
        ],
      },
    ]);
  });

  it("DM-06 metadata, which the vendor has no place for, is dropped with a warning", () => {
    const unsupported = { message: "metadata: Gemini does not support it", code: "unsupported_parameter" };
    expect(run({ metadata: { team: "t" } }).warnings).toEqual([unsupported]);
    expect(run({ metadata: { session_id: "s" } }).warnings).toEqual([]);
  });

  it("DM-06 A-015 CL-09 every parameter and the provider options on top", () => {
    const { json, warnings } = run({
      tools: [read],
      toolChoice: { mode: "named", toolName: "read" },
      temperature: 0.5,
      topP: 0.9,
      maxTokens: 100,
      stopSequences: ["END"],
      reasoningEffort: "high",
      responseFormat: { type: "json_schema", jsonSchema: { type: "object", properties: { n: { type: "integer" } } } },
      providerOptions: {
        gemini: {
          safetySettings: [],
          cachedContent: "c",
          generationConfig: { seed: 7 },
          contents: [],
          tools: [{ googleSearch: {} }],
        },
        anthropic: { foo: 1 },
      },
    });
    expect(json).toEqual({
      tools: [
        {
          functionDeclarations: [
            {
              name: "read",
              description: "Reads.",
              parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
            },
          ],
        },
        { googleSearch: {} },
      ],
      contents: [{ role: "user", parts: [{ text: "hi" }] }],
      toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["read"] } },
      generationConfig: {
        temperature: 0.5,
        topP: 0.9,
        maxOutputTokens: 100,
        stopSequences: ["END"],
        responseMimeType: "application/json",
        responseSchema: { type: "object", properties: { n: { type: "integer" } } },
        thinkingConfig: { thinkingLevel: "HIGH", includeThoughts: true },
        seed: 7,
      },
      safetySettings: [],
      cachedContent: "c",
    });
    expect(warnings).toEqual([]);
  });

  const choices = [
    [{ mode: "auto" }, { mode: "AUTO" }],
    [{ mode: "none" }, { mode: "NONE" }],
    [{ mode: "required" }, { mode: "ANY" }],
    [
      { mode: "named", toolName: "read" },
      { mode: "ANY", allowedFunctionNames: ["read"] },
    ],
  ] as const;
  it.each(choices)("TC-03 A-060 Gemini tool choice %j", (toolChoice, functionCallingConfig) => {
    const { json } = run({ tools: [read], toolChoice });
    expect(json["toolConfig"]).toEqual({ functionCallingConfig });
    expect(json["tools"]).toHaveLength(1);
  });

  it("TC-03 a named tool that does not exist is an InvalidRequestError", () => {
    expect(() => run({ tools: [read], toolChoice: { mode: "named", toolName: "x" } })).toThrow(/known tools: read/);
  });

  const budget = modelRow("gemini-2.5-pro", { thinking: { mode: "budget", levels: ["low", "medium", "high"] } });
  const efforts = [
    [row, "low", { thinkingLevel: "LOW", includeThoughts: true }],
    [row, "medium", { thinkingLevel: "LOW", includeThoughts: true }],
    [row, "xhigh", { thinkingLevel: "HIGH", includeThoughts: true }],
    [row, "off", { thinkingLevel: "LOW", includeThoughts: false }],
    [budget, "low", { thinkingBudget: 1024, includeThoughts: true }],
    [budget, "medium", { thinkingBudget: 8192, includeThoughts: true }],
    [budget, "high", { thinkingBudget: 24576, includeThoughts: true }],
  ] as const;
  it.each(efforts)("AD-40 effort on both model kinds: %o %s", (kind, reasoningEffort, thinkingConfig) => {
    expect(run({ reasoningEffort }, { model: kind }).json["generationConfig"]).toEqual({ thinkingConfig });
  });

  it("DM-06 an effort for a model that does not reason is dropped with a warning", () => {
    const { json, warnings } = run(
      { reasoningEffort: "high" },
      { model: modelRow("gemini-2.0", { supportsReasoning: false }) },
    );
    expect(json["generationConfig"]).toBeUndefined();
    expect(warnings).toMatchObject([{ code: "unsupported_parameter" }]);
  });

  it("PC-01 A-049 a longer history begins with the bytes of the shorter one and encodes only what is new", () => {
    const segments = createSegmentCache();
    const tools = [read];
    const history = [Message.system("s"), Message.user("one"), Message.assistant([call("c", "read")])];
    const next = [
      ...history,
      Message.toolResult({ toolCallId: "c", content: "x" }),
      Message.assistant("y"),
      Message.user("z"),
    ];
    const first = run({ messages: history, tools }, { segments });
    const second = run({ messages: next, tools }, { segments });
    const prefix = first.text.slice(0, first.text.lastIndexOf("]"));
    expect(second.text.startsWith(prefix)).toBe(true);
    for (const [index, segment] of first.segments.entries()) expect(second.segments[index]).toBe(segment);
    expect(second.segments.map((segment) => segment.kind)).toEqual([
      "tools",
      "system",
      ...Array<string>(5).fill("message"),
    ]);
  });

  it("AD-40 counting wraps the request on the public API and not on Vertex", () => {
    const operation = "count_tokens" as const;
    const request = { model, messages: [Message.user("hi")], temperature: 1 };
    const contents = [{ role: "user", parts: [{ text: "hi" }] }];
    expect(encode(gemini, "gemini", request, { model: row, operation }).json).toEqual({
      generateContentRequest: { model: `models/${model}`, contents },
    });
    expect(encode(googleVertex, "google-vertex", request, { model: row, operation }).json).toEqual({ contents });
  });
});

describe("AD-40 Gemini addresses and keys", () => {
  const at = (baseUrl: string, operation: "complete" | "stream" | "count_tokens") =>
    geminiEndpoint({ operation, wireModel: "gemini-3", baseUrl });

  it("CL-08 A-009 paths of the three operations; slash and version are not doubled", () => {
    expect(at("https://h", "complete")).toBe("https://h/v1beta/models/gemini-3:generateContent");
    expect(at("https://h/", "stream")).toBe("https://h/v1beta/models/gemini-3:streamGenerateContent?alt=sse");
    expect(at("https://h/v1beta/", "count_tokens")).toBe("https://h/v1beta/models/gemini-3:countTokens");
  });
});
