import { describe, expect, it } from "vitest";
import { checkRoles } from "../../src/media/roles.ts";
import { anthropicEndpoint } from "../../src/protocols/anthropic/endpoint.ts";
import { anthropicMessages } from "../../src/protocols/anthropic/index.ts";
import { createSegmentCache } from "../../src/segments.ts";
import { InvalidRequestError } from "../../src/types/errors.ts";
import { type ContentPart, Message, type PartKind, type Role } from "../../src/types/message.ts";
import type { Request, ToolDefinition } from "../../src/types/request.ts";
import { encode, modelRow } from "./support.ts";

const model = "claude-x";
const own = { provider: "anthropic", model };
const base: Partial<Request> = { providerOptions: { anthropic: { auto_cache: false } } };
const run = (request: Partial<Request>, more = {}) =>
  encode(anthropicMessages, "anthropic", { model, messages: [Message.user("hi")], ...base, ...request }, more);
const call = (id: string, name = "read", args = {}): ContentPart => ({
  kind: "tool_call",
  toolCall: { id, name, arguments: args, type: "function" },
});
const thinking = (text: string, signature?: string, origin = own): ContentPart => ({
  kind: "thinking",
  thinking: { text, redacted: false, origin, ...(signature === undefined ? {} : { signature }) },
});
const redacted = (data: string, origin = own): ContentPart => ({
  kind: "redacted_thinking",
  thinking: { text: "", signature: data, redacted: true, origin },
});
const text = (value: string) => ({ type: "text", text: value });
const read: ToolDefinition = {
  name: "read",
  description: "Reads.",
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
};
const strictRead = {
  name: "read",
  description: "Reads.",
  input_schema: { ...read.parameters, additionalProperties: false },
  strict: true,
};
const png = Uint8Array.of(1, 2, 3);

describe("AD-30 Anthropic request", () => {
  it("A-019 a text-only request", () => {
    const { json, headers } = run({});
    expect(json).toEqual({ model, messages: [{ role: "user", content: [text("hi")] }], max_tokens: 4096 });
    expect(headers).toEqual({ "anthropic-version": "2023-06-01" });
  });

  it("DM-01 A-013 A-014 five roles in one golden, system text only in its slot", () => {
    const { json } = run({
      tools: [{ name: "read", description: "Reads.", parameters: { type: "object", properties: {} } }],
      messages: [
        Message.system("be brief"),
        Message.developer("and kind"),
        Message.user("hi"),
        Message.assistant([{ kind: "text", text: "ok" }, call("t1", "read", { path: "a" })]),
        Message.toolResult({ toolCallId: "t1", content: "text of a" }),
      ],
    });
    expect(json).toEqual({
      model,
      tools: [expect.objectContaining({ name: "read" })],
      system: [text("be brief"), text("and kind")],
      messages: [
        { role: "user", content: [text("hi")] },
        {
          role: "assistant",
          content: [text("ok"), { type: "tool_use", id: "t1", name: "read", input: { path: "a" } }],
        },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "text of a" }] },
      ],
      max_tokens: 4096,
    });
  });

  it("AD-30 three user messages merge into one; a list that begins with assistant gets a user message in front", () => {
    const merged = run({ messages: [Message.user("a"), Message.user("b"), Message.user("c"), Message.assistant("d")] });
    expect(merged.json["messages"]).toEqual([
      { role: "user", content: [text("a"), text("b"), text("c")] },
      { role: "assistant", content: [text("d")] },
    ]);
    expect(run({ messages: [Message.assistant("a"), Message.user("b")] }).json["messages"]).toEqual([
      { role: "user", content: [text("(continued)")] },
      { role: "assistant", content: [text("a")] },
      { role: "user", content: [text("b")] },
    ]);
  });

  it("AD-30 DM-04 parallel results stand in one message in call order, before what the user said in the meantime", () => {
    const { json } = run({
      messages: [
        Message.user("go"),
        Message.assistant([call("t1"), call("t2")]),
        Message.user("hurry"),
        Message.toolResult({ toolCallId: "t1", content: { lines: 3 } }),
        Message.toolResult({ toolCallId: "t2", content: "", isError: true }),
        Message.toolResult({ toolCallId: "t3", content: "seen", images: [{ data: png }] }),
      ],
    });
    expect((json["messages"] as unknown[])[2]).toEqual({
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "t1", content: '{"lines":3}' },
        { type: "tool_result", tool_use_id: "t2", content: "failed without a message", is_error: true },
        {
          type: "tool_result",
          tool_use_id: "t3",
          content: [text("seen"), { type: "image", source: { type: "base64", media_type: "image/png", data: "AQID" } }],
        },
        text("hurry"),
      ],
    });
  });

  it("DM-05 AD-30 A-023 A-024 A-039 thinking, signature and redacted data go back byte for byte, also after JSON", () => {
    const history = [
      Message.user("go"),
      Message.assistant([thinking("let me\n  see ", "s1"), redacted("abc"), call("t1")]),
      Message.toolResult({ toolCallId: "t1", content: "x" }),
    ];
    const expected = {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "let me\n  see ", signature: "s1" },
        { type: "redacted_thinking", data: "abc" },
        { type: "tool_use", id: "t1", name: "read", input: {} },
      ],
    };
    const reread = JSON.parse(JSON.stringify(history)) as Message[];
    for (const messages of [history, reread]) {
      expect((run({ messages }).json["messages"] as unknown[])[1]).toEqual(expected);
    }
  });

  it("DM-05 another model's thinking is dropped, or text when asked for; unsigned thinking is never replayed", () => {
    const foreign = { provider: "anthropic", model: "claude-old" };
    const messages = [
      Message.user("a"),
      Message.assistant([
        thinking("plan", "s1", foreign),
        redacted("abc", foreign),
        thinking("raw"),
        { kind: "text", text: "b" },
      ]),
      Message.user("c"),
    ];
    const dropped = run({ messages });
    expect((dropped.json["messages"] as unknown[])[1]).toEqual({ role: "assistant", content: [text("b")] });
    const kept = run({ messages, providerOptions: { anthropic: { foreign_thinking: "text", auto_cache: false } } });
    expect((kept.json["messages"] as unknown[])[1]).toEqual({ role: "assistant", content: [text("plan"), text("b")] });
  });

  it("AD-30 blank text is dropped, foreign ids are rewritten alike for call and result", () => {
    const id = "call:1|fc.2";
    const { json } = run({
      messages: [
        Message.user([
          { kind: "text", text: "" },
          { kind: "text", text: "go" },
          { kind: "text", text: " \n" },
        ]),
        Message.assistant([call(id)]),
        Message.toolResult({ toolCallId: id, content: "x" }),
      ],
    });
    const [user, assistant, results] = json["messages"] as { content: { id: string; tool_use_id: string }[] }[];
    expect(user?.content).toEqual([text("go")]);
    expect(assistant?.content[0]?.id).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(results?.content[0]?.tool_use_id).toBe(assistant?.content[0]?.id);
  });

  it("DM-02 unknown items go back to their origin only; elsewhere they are dropped with a warning", () => {
    const raw = { type: "server_tool_use", id: "s", name: "web_search", input: {} };
    const messages = (origin: typeof own) => [
      Message.user("a"),
      Message.assistant([
        { kind: "text", text: "b" },
        { kind: "unknown", raw, origin },
      ]),
    ];
    expect((run({ messages: messages(own) }).json["messages"] as unknown[])[1]).toMatchObject({ content: [{}, raw] });
    const dropped = run({ messages: messages({ provider: "gemini", model: "g" }) });
    expect(dropped.text).not.toContain("web_search");
    expect(dropped.warnings).toMatchObject([{ code: "unsupported_content" }]);
  });

  it("CL-09 A-015 A-016 X-07 beta headers are joined once, unknown options land in the body, protected keys do not", () => {
    const { json, headers } = run({
      messages: [Message.user("hi")],
      providerOptions: {
        anthropic: { beta_headers: ["x-1", "x-1", "y-2"], foo: 1, model: "other", messages: [], stream: true },
        gemini: { bar: 2 },
      },
    });
    expect(headers["anthropic-beta"]).toBe("x-1,y-2,prompt-caching-2024-07-31");
    expect(json).toMatchObject({ model, foo: 1 });
    expect(json).not.toHaveProperty("bar");
    expect(json).not.toHaveProperty("stream");
    expect(json["messages"]).toHaveLength(1);
  });

  it("DM-06 every parameter, with warnings for what does not go together", () => {
    const { json, warnings } = run(
      {
        tools: [read],
        toolChoice: { mode: "auto" },
        temperature: 0.5,
        topP: 0.9,
        maxTokens: 100,
        stopSequences: ["END"],
        metadata: { user_id: "u", session_id: "s", team: "t" },
      },
      { operation: "stream" },
    );
    expect(json).toEqual({
      model,
      tools: [strictRead],
      messages: [{ role: "user", content: [text("hi")] }],
      max_tokens: 100,
      temperature: 0.5,
      stop_sequences: ["END"],
      metadata: { user_id: "u" },
      stream: true,
      tool_choice: { type: "auto" },
    });
    expect(warnings).toEqual([
      { message: "topP was not sent: not supported together with temperature", code: "unsupported_parameter" },
      { message: "metadata: Anthropic takes only user_id", code: "unsupported_parameter" },
    ]);
  });

  it("QK-01 counting tokens sends the prompt without sampling parameters", () => {
    const { json } = run({ tools: [read], temperature: 1, maxTokens: 5 }, { operation: "count_tokens" });
    expect(json).toEqual({ model, tools: [strictRead], messages: [{ role: "user", content: [text("hi")] }] });
    expect(anthropicEndpoint({ operation: "count_tokens", wireModel: model, baseUrl: "https://h/v1/" })).toBe(
      "https://h/v1/messages/count_tokens",
    );
  });

  it("CL-08 A-009 the path is the native one; slash and version are not doubled", () => {
    for (const baseUrl of ["https://h", "https://h/", "https://h/v1"]) {
      expect(anthropicEndpoint({ operation: "stream", wireModel: model, baseUrl })).toBe("https://h/v1/messages");
    }
  });

  it("PC-01 a longer history begins with the bytes of the shorter one and encodes only what is new", () => {
    const segments = createSegmentCache();
    const tools = [read];
    const history = [Message.system("s"), Message.user("one"), Message.assistant([call("t")])];
    const next = [...history, Message.toolResult({ toolCallId: "t", content: "x" }), Message.assistant("y")];
    const first = run({ messages: history, tools }, { segments });
    const second = run({ messages: next, tools, maxTokens: 9 }, { segments });
    const prefix = first.text.slice(0, first.text.indexOf('],"max_tokens"'));
    expect(second.text.startsWith(prefix)).toBe(true);
    for (const [index, segment] of first.segments.entries()) expect(second.segments[index]).toBe(segment);
  });
});

describe("DM-02 roles", () => {
  const parts: Record<Exclude<PartKind, "unknown">, ContentPart> = {
    text: { kind: "text", text: "x" },
    image: { kind: "image", image: { data: png } },
    audio: { kind: "audio", audio: { data: png } },
    document: { kind: "document", document: { data: png } },
    tool_call: call("t"),
    tool_result: { kind: "tool_result", toolResult: { toolCallId: "t", content: "x", isError: false } },
    thinking: thinking("x", "s"),
    redacted_thinking: redacted("d"),
  };
  const allowed: Record<string, readonly Role[]> = {
    text: ["system", "developer", "user", "assistant", "tool"],
    image: ["user", "assistant"],
    audio: ["user"],
    document: ["user"],
    tool_call: ["assistant"],
    tool_result: ["tool"],
    thinking: ["assistant"],
    redacted_thinking: ["assistant"],
  };
  const roles: readonly Role[] = ["system", "developer", "user", "assistant", "tool"];
  const cases = Object.keys(parts).flatMap((kind) => roles.map((role) => [kind as keyof typeof parts, role] as const));
  it.each(cases)("DM-02 a %s part in a %s message", (kind, role) => {
    const message: Message = { role, content: [parts[kind]] };
    const encodeIt = () => {
      checkRoles(message, "anthropic");
      return run({ messages: [Message.user("a"), message] });
    };
    if (kind === "audio" && role === "user") {
      expect(encodeIt).toThrow(expect.objectContaining({ errorCode: "unsupported_content" }));
    } else if (allowed[kind]?.includes(role)) expect(() => encodeIt()).not.toThrow();
    else {
      expect(encodeIt).toThrow(InvalidRequestError);
      expect(encodeIt).toThrow(new RegExp(`${kind} .*${role}`));
    }
  });
});

describe("DM-03 Anthropic media", () => {
  const content = (part: ContentPart) => {
    const [message] = run({ messages: [Message.user([part])] }).json["messages"] as { content: unknown[] }[];
    return message?.content[0];
  };

  it("A-103 A-104 an image as bytes and as address", () => {
    const inline = { type: "image", source: { type: "base64", media_type: "image/png", data: "AQID" } };
    expect(content({ kind: "image", image: { data: png } })).toEqual(inline);
    expect(content({ kind: "image", image: { url: "https://x.test/a.png" } })).toEqual({
      type: "image",
      source: { type: "url", url: "https://x.test/a.png" },
    });
  });

  it("A-021 documents: PDF inline, text as text, addresses as they are; audio is refused", () => {
    expect(content({ kind: "document", document: { data: png, fileName: "a.pdf" } })).toEqual({
      type: "document",
      source: { type: "base64", media_type: "application/pdf", data: "AQID" },
      title: "a.pdf",
    });
    const data = new TextEncoder().encode("grüße");
    expect(content({ kind: "document", document: { data, mediaType: "text/markdown" } })).toEqual({
      type: "document",
      source: { type: "text", media_type: "text/plain", data: "grüße" },
    });
    expect(() => content({ kind: "audio", audio: { data: png } })).toThrow(/does not accept audio/);
  });

  it("A-025 text, image, text keep their order", () => {
    const messages = [
      Message.user([
        { kind: "text", text: "a" },
        { kind: "image", image: { data: png } },
        { kind: "text", text: "b" },
      ]),
    ];
    const [message] = run({ messages }).json["messages"] as { content: { type: string }[] }[];
    expect(message?.content.map((block) => block.type)).toEqual(["text", "image", "text"]);
  });
});

describe("model rows", () => {
  it("AD-30 the catalog's output limit replaces the default, the wire id replaces the model", () => {
    const { json } = run({}, { model: modelRow(model, { maxOutput: 64_000, wireModelId: "claude-wire" }) });
    expect(json).toMatchObject({ model: "claude-wire", max_tokens: 64_000 });
  });
});
