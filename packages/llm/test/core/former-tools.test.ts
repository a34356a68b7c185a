import { call, startModelServer, turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { Message } from "../../src/types/message.ts";
import type { ToolDefinition } from "../../src/types/request.ts";
import { ALL, ANTHROPIC, clientFor, type DialectCase } from "./support.ts";

const read: ToolDefinition = {
  name: "read",
  description: "Reads.",
  parameters: { type: "object", properties: { path: { type: "string" } } },
};

/** A tool round, then a question without any tools, as when the conversation is summarised. */
async function summarise(one: DialectCase) {
  await using server = await startModelServer({
    script: [turn.blocks([call({ name: "read", args: { path: "a" } })]), turn.text("in short")],
  });
  const client = clientFor(one, server);
  const first = await client.complete({ model: one.model, messages: [Message.user("go")], tools: [read] });
  const result = Message.toolResult({ toolCallId: first.toolCalls[0]?.id ?? "", content: "text of a" });
  const messages = [Message.user("go"), first.message, result, Message.user("sum it up")];
  const { text } = await client.complete({ model: one.model, messages });
  return { text, body: server.requests[1]?.body as Record<string, unknown> };
}

describe("a history with tool calls, sent without tools", () => {
  it.each(ALL)("TC-03 X-06 is accepted by $provider", async (one) => {
    expect((await summarise(one)).text).toBe("in short");
  });

  it("TC-03 X-06 Anthropic gets the names it wants, and the model may call none of them", async () => {
    const { body } = await summarise(ANTHROPIC);
    expect(body["tools"]).toMatchObject([{ name: "read" }]);
    expect(body["tool_choice"]).toEqual({ type: "none" });
  });
});
