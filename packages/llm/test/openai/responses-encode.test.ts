import { describe, expect, it } from "vitest";
import { openaiResponses } from "../../src/protocols/openai-responses/index.ts";
import { createSegmentCache } from "../../src/segments.ts";
import { type ContentPart, Message } from "../../src/types/message.ts";
import type { Request, ToolDefinition } from "../../src/types/request.ts";
import { bodyOf, type EncodeSetup, encodeWith } from "./kit.ts";

const golden = (request: Partial<Request>, setup?: EncodeSetup) =>
  bodyOf(encodeWith(openaiResponses, { model: "gpt-5.2", messages: [], ...request }, setup));
const userText = (text: string) => ({ type: "message", role: "user", content: [{ type: "input_text", text }] });
const own = { provider: "openai", model: "gpt-5.2" };
const fixed = { stream: true, store: false, include: ["reasoning.encrypted_content"] };
const weather: ToolDefinition = {
  name: "weather",
  description: "Weather of a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

describe("AD-10 request bodies", () => {
  it("AD-10 A-019 QK-01 max tokens optional: text only", () => {
    expect(golden({ messages: [Message.user("hi")] })).toEqual({ model: "gpt-5.2", input: [userText("hi")], ...fixed });
  });

  it("AD-10 DM-01 A-013 A-014 X-05 five roles: system becomes instructions, developer keeps its place", () => {
    const call: ContentPart = {
      kind: "tool_call",
      toolCall: { id: "call_1", name: "weather", type: "function", arguments: { city: "Rome" } },
    };
    const body = golden({
      messages: [
        Message.system("Be brief."),
        Message.user("weather?"),
        Message.system("Be kind."),
        Message.developer("Use metric units."),
        Message.assistant([{ kind: "text", text: "Looking." }, call]),
        Message.toolResult({ toolCallId: "call_1", content: { celsius: 21 } }),
      ],
    });
    expect(body).toEqual({
      model: "gpt-5.2",
      instructions: "Be brief.\n\nBe kind.",
      input: [
        userText("weather?"),
        { type: "message", role: "developer", content: [{ type: "input_text", text: "Use metric units." }] },
        {
          type: "message",
          role: "assistant",
          content: [{ type: "output_text", text: "Looking.", annotations: [] }],
        },
        { type: "function_call", call_id: "call_1", name: "weather", arguments: '{"city":"Rome"}' },
        { type: "function_call_output", call_id: "call_1", output: '{"celsius":21}' },
      ],
      ...fixed,
    });
  });

  it("AD-10 DM-03 X-03 A-020 A-025 an image by address and by bytes between texts, a document, detail kept", () => {
    const body = golden({
      messages: [
        Message.user([
          { kind: "text", text: "a" },
          { kind: "image", image: { url: "https://x.test/a.png", detail: "low" } },
          { kind: "text", text: "b" },
          { kind: "image", image: { data: new Uint8Array([1, 2, 3]), mediaType: "image/webp" } },
          { kind: "document", document: { data: new Uint8Array([4]), fileName: "a.pdf" } },
        ]),
      ],
    });
    expect(body["input"]).toEqual([
      {
        type: "message",
        role: "user",
        content: [
          { type: "input_text", text: "a" },
          { type: "input_image", image_url: "https://x.test/a.png", detail: "low" },
          { type: "input_text", text: "b" },
          { type: "input_image", image_url: "data:image/webp;base64,AQID" },
          { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,BA==" },
        ],
      },
    ]);
  });

  it("DM-03 A-021 audio is refused before anything is sent", () => {
    const audio: ContentPart = { kind: "audio", audio: { data: new Uint8Array([1]) } };
    expect(() => golden({ messages: [Message.user([audio])] })).toThrowError(
      expect.objectContaining({ name: "InvalidRequestError", errorCode: "unsupported_content" }),
    );
  });

  it("AD-10 X-01 QK-01 two-part tool ids, free alternation: parallel calls with item ids, their results, and an image result after both", () => {
    const call = (id: string, item: string): ContentPart => ({
      kind: "tool_call",
      toolCall: {
        id: `${id}|${item}`,
        name: "weather",
        type: "function",
        arguments: { city: id },
        origin: { ...own, itemId: item },
      },
    });
    const body = golden({
      messages: [
        Message.assistant([call("c1", "fc_1"), call("c2", "fc_2")]),
        Message.toolResult({ toolCallId: "c1|fc_1", content: "sun", images: [{ data: new Uint8Array([1]) }] }),
        Message.toolResult({ toolCallId: "c2|fc_2", content: "rain", isError: true }),
        Message.user("so?"),
      ],
    });
    expect(body["input"]).toEqual([
      { type: "function_call", id: "fc_1", call_id: "c1", name: "weather", arguments: '{"city":"c1"}' },
      { type: "function_call", id: "fc_2", call_id: "c2", name: "weather", arguments: '{"city":"c2"}' },
      { type: "function_call_output", call_id: "c1", output: "sun" },
      { type: "function_call_output", call_id: "c2", output: "rain" },
      {
        type: "message",
        role: "user",
        content: [
          { type: "input_text", text: "Image returned by tool call c1:" },
          { type: "input_image", image_url: "data:image/png;base64,AQ==" },
        ],
      },
      userText("so?"),
    ]);
  });

  it("AD-10 X-01 a server that gives one id to several items spoils no later request: the first keeps it", () => {
    const said = (text: string): ContentPart => ({
      kind: "text",
      text,
      signature: JSON.stringify({ id: "msg_1" }),
      origin: own,
    });
    const thought = (itemId: string): ContentPart => ({
      kind: "thinking",
      thinking: { text: "", signature: "sealed", redacted: false, origin: { ...own, itemId } },
    });
    const call: ContentPart = {
      kind: "tool_call",
      toolCall: { id: "c1", name: "weather", type: "function", arguments: {}, origin: { ...own, itemId: "fc_1" } },
    };
    const body = golden({
      messages: [
        Message.assistant([thought("rs_1"), said("a"), call, said("b")]),
        Message.toolResult({ toolCallId: "c1", content: "sun" }),
        Message.assistant([thought("rs_1"), said("c")]),
        Message.user("so?"),
      ],
    });
    const items = body["input"] as { type: string; id?: string }[];
    expect(items.map(({ type, id = "-" }) => `${type} ${id}`)).toEqual([
      "reasoning rs_1",
      "message msg_1",
      "function_call fc_1",
      "message -",
      "function_call_output -",
      "message -",
      "message -",
    ]);
  });

  const reasoned = (origin: { provider: string; model: string }) => [
    Message.assistant([
      {
        kind: "thinking",
        thinking: { text: "plan", signature: "enc1", redacted: false, origin: { ...origin, itemId: "rs_1" } },
      },
      { kind: "text", text: "On it.", signature: '{"id":"msg_1","phase":"commentary"}', origin },
      {
        kind: "tool_call",
        toolCall: {
          id: "c1|fc_1",
          name: "weather",
          type: "function",
          arguments: {},
          origin: { ...origin, itemId: "fc_1" },
        },
      },
      { kind: "unknown", raw: { type: "web_search_call", id: "ws_1", status: "completed" }, origin },
    ]),
  ];

  it("AD-10 DM-05 QK-01 thinking as encrypted items: reasoning, ids, phase and unknown items go back to the model they came from", () => {
    expect(golden({ messages: reasoned(own) })["input"]).toEqual([
      { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "plan" }], encrypted_content: "enc1" },
      {
        type: "message",
        id: "msg_1",
        status: "completed",
        phase: "commentary",
        role: "assistant",
        content: [{ type: "output_text", text: "On it.", annotations: [] }],
      },
      { type: "function_call", id: "fc_1", call_id: "c1", name: "weather", arguments: "{}" },
      { type: "web_search_call", id: "ws_1", status: "completed" },
    ]);
  });

  it.each([
    ["enc9", [{ type: "reasoning", summary: [{ type: "summary_text", text: "plan" }], encrypted_content: "enc9" }]],
    [undefined, []],
  ])(
    "DM-05 a signature that is the whole item, as older sessions have it, with %s encrypted",
    (encrypted, expected) => {
      const signature = JSON.stringify({ type: "reasoning", id: "rs_9", summary: [], encrypted_content: encrypted });
      const thinking = { text: "plan", signature, redacted: false, origin: own };
      const message = Message.assistant([
        { kind: "thinking", thinking },
        { kind: "text", text: "done" },
      ]);
      const input = golden({ messages: [message] })["input"] as { type: string }[];
      expect(input.filter(({ type }) => type === "reasoning")).toEqual(expected);
    },
  );

  it.each(["", "{", '{"encrypted_content":""}', "{}"])(
    "DM-05 D3 reasoning that the vendor could not read (%j) is left out, and so are the ids tied to it",
    (signature) => {
      const thinking = { text: "plan", signature, redacted: false, origin: { ...own, itemId: "rs_9" } };
      const message = Message.assistant([
        { kind: "thinking", thinking },
        { kind: "text", text: "done", origin: { ...own, itemId: "msg_9" } },
      ]);
      expect(JSON.stringify(golden({ messages: [message] }))).not.toMatch(/rs_9|msg_9|encrypted_content":/);
    },
  );

  it("DM-05 D3 ids that no vendor makes are not sent back: they would be refused for ever", () => {
    const odd = { ...own, itemId: "f.txt/\b" };
    const message = Message.assistant([
      { kind: "thinking", thinking: { text: "plan", signature: "enc", redacted: false, origin: odd } },
      { kind: "tool_call", toolCall: { id: "c1", name: "weather", arguments: {}, type: "function", origin: odd } },
    ]);
    const result = Message.toolResult({ toolCallId: "c1", content: "sun" });
    expect(JSON.stringify(golden({ messages: [message, result] }))).not.toContain("f.txt");
  });

  it("DM-05 another model's reasoning and ids never appear", () => {
    const messages = reasoned({ provider: "anthropic", model: "claude-opus-4-6" });
    const text = JSON.stringify(golden({ messages }));
    for (const secret of ["enc1", "plan", "rs_1", "fc_1", "ws_1", "msg_1"]) expect(text).not.toContain(secret);
    const asText = golden({ messages, providerOptions: { openai: { foreign_thinking: "text" } } });
    expect(JSON.stringify(asText)).toContain("plan");
    expect(asText).not.toHaveProperty("foreign_thinking");
  });
});

describe("segments", () => {
  it("PC-01 A-042 QK-01 automatic caching: ten turns: each body without its tail begins the next, no cache marker, segments are reused", () => {
    const segments = createSegmentCache();
    const messages: Message[] = [Message.system("You are a test."), Message.user("go")];
    let before: { prefix: string; segments: readonly object[] } | undefined;
    for (let turn = 0; turn < 10; turn += 1) {
      const encoded = encodeWith(
        openaiResponses,
        { model: "gpt-5.2", messages: [...messages], tools: [weather] },
        { segments },
      );
      const text = encoded.body.join("");
      if (before) {
        expect(text.startsWith(before.prefix)).toBe(true);
        // The history's Segment objects are identical, so nothing was encoded twice. Tools come in a new array.
        expect(encoded.segments.slice(1, before.segments.length)).toEqual(before.segments.slice(1));
        for (let index = 1; index < before.segments.length; index += 1) {
          expect(encoded.segments[index]).toBe(before.segments[index]);
        }
      }
      expect(text).not.toContain("cache_control");
      before = { prefix: text.slice(0, text.lastIndexOf("]", text.indexOf('"include"'))), segments: encoded.segments };
      const id = `c${turn}`;
      messages.push(
        Message.assistant([{ kind: "tool_call", toolCall: { id, name: "weather", type: "function", arguments: {} } }]),
        Message.toolResult({ toolCallId: id, content: `result ${turn}` }),
      );
    }
  });
});
