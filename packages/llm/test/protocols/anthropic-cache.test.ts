import { describe, expect, it } from "vitest";
import { anthropicMessages } from "../../src/protocols/anthropic/index.ts";
import type { JsonObject, JsonValue } from "../../src/types/json.ts";
import { type CacheControl, type ContentPart, Message } from "../../src/types/message.ts";
import type { Request, ToolDefinition } from "../../src/types/request.ts";
import { encode, modelRow } from "./support.ts";

const model = "claude-x";
const beta = "prompt-caching-2024-07-31";
const run = (request: Partial<Request>, more = {}) =>
  encode(anthropicMessages, "anthropic", { model, messages: [Message.user("hi")], ...request }, more);
const tool = (name: string, cacheControl?: CacheControl): ToolDefinition => ({
  name,
  description: name,
  parameters: { type: "object", properties: {} },
  ...(cacheControl ? { cacheControl } : {}),
});
const short: CacheControl = { type: "ephemeral" };
const long: CacheControl = { type: "ephemeral", ttl: "1h" };
const turns = (count: number): Message[] =>
  Array.from({ length: count }, (_, index) => [Message.user(`q${index}`), Message.assistant(`a${index}`)])
    .flat()
    .slice(0, -1);

/** Paths of all markers in a body, e.g. `messages.2.content.0`. */
function markers(json: JsonObject): Record<string, JsonValue> {
  const found: Record<string, JsonValue> = {};
  const walk = (value: JsonValue, path: string): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, child] of Object.entries(value)) {
      if (key === "cache_control") found[path] = child as JsonValue;
      else walk(child as JsonValue, path === "" ? key : `${path}.${key}`);
    }
  };
  walk(json, "");
  return found;
}

describe("PC-02 Anthropic breakpoints", () => {
  it("PC-02 A-045 no tools, no system, one turn: the newest message only", () => {
    const { json, headers } = run({});
    expect(json["messages"]).toEqual([
      { role: "user", content: [{ type: "text", text: "hi", cache_control: { type: "ephemeral" } }] },
    ]);
    expect(headers["anthropic-beta"]).toBe(beta);
  });

  it("PC-02 A-045 tools and system: last of each, newest message", () => {
    const { json } = run({
      tools: [tool("a"), tool("b")],
      messages: [Message.system("s"), Message.developer("d"), Message.user("q")],
    });
    expect(markers(json)).toEqual({ "tools.1": short, "system.1": short, "messages.0.content.0": short });
  });

  it("PC-02 A-045 five turns: the newest user message and the one before it, four markers in all", () => {
    const { json } = run({ tools: [tool("a")], messages: [Message.system("s"), ...turns(5)] });
    expect(markers(json)).toEqual({
      "tools.0": short,
      "system.0": short,
      "messages.6.content.0": short,
      "messages.8.content.0": short,
    });
  });

  it("PC-02 the last block of a merged message is marked; assistant turns and thinking never are", () => {
    const thinking: ContentPart = { kind: "thinking", thinking: { text: "t", signature: "s", redacted: false } };
    const call: ContentPart = { kind: "tool_call", toolCall: { id: "c", name: "a", arguments: {}, type: "function" } };
    const { json } = run({
      tools: [tool("a")],
      messages: [
        Message.user("q"),
        Message.assistant([thinking, call]),
        Message.toolResult({ toolCallId: "c", content: "r" }),
        Message.user("more"),
        Message.assistant([thinking]),
      ],
    });
    expect(markers(json)).toEqual({
      "tools.0": short,
      "messages.0.content.0": short,
      "messages.2.content.1": short,
    });
  });

  it("PC-02 A-044 the caller's markers survive and leave room for one more", () => {
    const marked = (text: string): Message => Message.user([{ kind: "text", text, cacheControl: short }]);
    const { json } = run({
      tools: [tool("a", short)],
      messages: [
        Message.system("s"),
        marked("1"),
        Message.assistant("x"),
        marked("2"),
        Message.assistant("y"),
        Message.user("3"),
      ],
    });
    expect(markers(json)).toEqual({
      "tools.0": short,
      "messages.0.content.0": short,
      "messages.2.content.0": short,
      "messages.4.content.0": short,
    });
  });

  it("PC-02 A-046 A-048 auto_cache:false: no marker and no beta, the caller's own marker keeps both", () => {
    const providerOptions = { anthropic: { auto_cache: false } };
    const plain = run({ providerOptions, tools: [tool("a")], messages: [Message.system("s"), Message.user("q")] });
    expect(markers(plain.json)).toEqual({});
    expect(plain.headers).not.toHaveProperty("anthropic-beta");
    const own = run({ providerOptions, messages: [Message.user([{ kind: "text", text: "q", cacheControl: long }])] });
    expect(markers(own.json)).toEqual({ "messages.0.content.0": long });
    expect(own.headers["anthropic-beta"]).toBe(beta);
  });

  it("PC-02 segments hold no markers and do not change when markers move on", () => {
    const history = turns(2);
    const first = run({ messages: history });
    const second = run({ messages: [...history, Message.assistant("a"), Message.user("b")] });
    expect(first.segments.map((segment) => segment.text).join()).not.toContain("cache_control");
    expect(second.segments.slice(0, first.segments.length).map((segment) => segment.hash)).toEqual(
      first.segments.map((segment) => segment.hash),
    );
  });
});

describe("PC-03 retention on Anthropic", () => {
  const row = modelRow(model, { supportsLongCacheRetention: true });
  const official = "https://api.anthropic.com";
  const only = (more: object, request: Partial<Request> = {}) => Object.values(markers(run(request, more).json));

  it("PC-03 long is one hour on the vendor's own host and a model that has it, else the plain marker", () => {
    expect(only({ cacheRetention: "long", baseUrl: official, model: row })).toEqual([long]);
    expect(only({ cacheRetention: "long", baseUrl: "http://127.0.0.1:9", model: row })).toEqual([short]);
    expect(only({ cacheRetention: "long", baseUrl: official, model: modelRow(model) })).toEqual([short]);
    expect(only({ cacheRetention: "short", baseUrl: official, model: row })).toEqual([short]);
  });

  it("PC-03 none places no marker", () => {
    expect(only({ cacheRetention: "none", baseUrl: official, model: row })).toEqual([]);
  });

  it("PC-03 automatic markers never outlive a shorter one the caller placed before them", () => {
    const messages = [
      Message.user([{ kind: "text", text: "q", cacheControl: short }]),
      Message.assistant("a"),
      Message.user("b"),
    ];
    expect(only({ cacheRetention: "long", baseUrl: official, model: row }, { messages })).toEqual([short, short]);
  });
});
