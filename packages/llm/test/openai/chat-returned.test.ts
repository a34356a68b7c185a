import { describe, expect, it } from "vitest";
import { openaiChat } from "../../src/protocols/openai-chat/index.ts";
import type { JsonObject } from "../../src/types/json.ts";
import { Message } from "../../src/types/message.ts";
import { servedAgain } from "../serve/again.ts";
import { bodyOf, decodeBody, decodeStream, encodeWith, recorded } from "./kit.ts";

const baseUrl = "https://openrouter.ai/api/v1";
const chunk = (delta: JsonObject, more: JsonObject = {}) => ({ id: "c", choices: [{ index: 0, delta, ...more }] });
const thought = (detail: JsonObject) => chunk({ reasoning_details: [detail] });
const call = { index: 0, id: "call_1", type: "function", function: { name: "read", arguments: "{}" } };
const text = { type: "reasoning.text", format: "anthropic-claude-v1", index: 0 };
const sealed = { type: "reasoning.encrypted", data: "c2lnbmVk", format: "google-gemini-v1", id: "call_1", index: 1 };

const streamed = [
  thought({ ...text, text: "Which " }),
  thought({ ...text, text: "file?" }),
  thought({ ...text, signature: "sig" }),
  chunk({ tool_calls: [call], reasoning_details: [sealed] }),
  chunk({}, { finish_reason: "tool_calls" }),
  "[DONE]",
];
const whole = [{ ...text, text: "Which file?", signature: "sig" }, sealed];

function nextRequest(answer: Message, model = "gpt-5.2") {
  const messages = [Message.user("go"), answer, Message.toolResult({ toolCallId: "call_1", content: "ok" })];
  const body = bodyOf(encodeWith(openaiChat, { model, messages }, { baseUrl }));
  return (body["messages"] as JsonObject[])[1];
}

describe("AD-20 reasoning that a gateway wants back", () => {
  it("DM-05 AD-20 signed and encrypted items return with the call they led to, fragments joined", () => {
    const { blocks } = decodeStream(openaiChat, streamed);
    const kept = JSON.parse(JSON.stringify(blocks.response?.message)) as Message;
    expect(nextRequest(kept)).toEqual({
      role: "assistant",
      content: null,
      reasoning_details: whole,
      tool_calls: [{ id: "call_1", type: "function", function: { name: "read", arguments: "{}" } }],
    });
  });

  it("DM-07 AD-20 a whole answer gives the same", () => {
    const message = { role: "assistant", content: null, tool_calls: [call], reasoning_details: whole };
    const { blocks } = decodeBody(openaiChat, { id: "c", choices: [{ message, finish_reason: "tool_calls" }] });
    expect(blocks.response?.message).toEqual(decodeStream(openaiChat, streamed).blocks.response?.message);
  });

  it("DM-05 another model gets none of it", () => {
    const { blocks } = decodeStream(openaiChat, streamed);
    const wire = JSON.stringify(nextRequest(blocks.response!.message, "other"));
    expect(wire).not.toContain("sig");
    expect(wire).not.toContain("reasoning_details");
  });

  it("AD-20 an answer without calls leaves them out", () => {
    const { blocks } = decodeStream(openaiChat, [
      thought(sealed),
      chunk({ content: "hi" }),
      chunk({}, { finish_reason: "stop" }),
      "[DONE]",
    ]);
    expect(blocks.response?.message.content).toEqual([{ kind: "text", text: "hi" }]);
  });

  it("AD-20 what a server adds to a single call goes back with that call", () => {
    const extra_content = { google: { thought_signature: "c2ln" } };
    const second = { index: 1, id: "call_2", type: "function", function: { name: "list", arguments: "{}" } };
    const { blocks } = decodeStream(openaiChat, [
      chunk({ tool_calls: [{ ...call, extra_content }, second] }),
      chunk({}, { finish_reason: "tool_calls" }),
      "[DONE]",
    ]);
    const wire = nextRequest(blocks.response!.message)?.["tool_calls"] as JsonObject[];
    expect(wire.map((one) => one["extra_content"])).toEqual([extra_content, undefined]);
  });

  it.each([
    ["https://litellm.example/v1", true],
    ["https://api.openai.com/v1", false],
  ])("AD-20 a long id, which may hold what the gateway needs, stays whole at %s: %s", (host, whole) => {
    const id = `call_1__thought__${"c2ln".repeat(40)}`;
    const toolCall = { id, name: "read", type: "function" as const, arguments: {} };
    const messages = [
      Message.assistant([{ kind: "tool_call", toolCall }]),
      Message.toolResult({ toolCallId: id, content: "" }),
    ];
    const wire = bodyOf(encodeWith(openaiChat, { model: "m", messages }, { baseUrl: host }))[
      "messages"
    ] as JsonObject[];
    const [made] = (wire[0]?.["tool_calls"] ?? []) as { id: string }[];
    const sent = made?.id ?? "";
    expect(wire[1]?.["tool_call_id"]).toBe(sent);
    expect(whole ? sent : sent.length <= 40).toBe(whole ? id : true);
  });
});

servedAgain(recorded);
