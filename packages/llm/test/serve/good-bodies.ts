// A small valid request in each served format, from which tests make invalid ones.

import { servedFormats } from "../../src/serve/index.ts";
import type { FormatName, ServedFormat } from "../../src/serve/types.ts";
import type { JsonObject } from "../../src/types/json.ts";

export const formatOf = (name: FormatName): ServedFormat => servedFormats.find((format) => format.name === name)!;

export const user = { role: "user", content: "hi" };
const schema = { type: "object", properties: {} };
export const GOOD: Readonly<Record<FormatName, JsonObject>> = {
  chat: {
    model: "m",
    messages: [
      { role: "system", content: "s" },
      {
        role: "user",
        content: [
          { type: "text", text: "hi" },
          { type: "image_url", image_url: { url: "https://a/b" } },
        ],
      },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c", type: "function", function: { name: "t", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c", content: "r" },
    ],
    tools: [{ type: "function", function: { name: "t", parameters: schema } }],
    tool_choice: "auto",
    response_format: { type: "json_schema", json_schema: { name: "n", schema } },
    temperature: 1,
    stop: ["x"],
    stream: true,
  },
  messages: {
    model: "m",
    max_tokens: 10,
    system: [{ type: "text", text: "s", cache_control: { type: "ephemeral" } }],
    messages: [
      user,
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm", signature: "s" },
          { type: "tool_use", id: "c", name: "t", input: {} },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: [{ type: "text", text: "r" }] }] },
    ],
    tools: [{ name: "t", input_schema: schema }],
    tool_choice: { type: "auto", disable_parallel_tool_use: true },
    thinking: { type: "enabled", budget_tokens: 2000 },
    top_k: 3,
  },
  responses: {
    model: "m",
    instructions: "s",
    input: [
      { role: "user", content: [{ type: "input_text", text: "hi" }] },
      { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "hm" }], encrypted_content: "e" },
      { type: "function_call", id: "fc_1", call_id: "c", name: "t", arguments: "{}" },
      { type: "function_call_output", call_id: "c", output: "r" },
    ],
    tools: [
      { type: "function", name: "t", parameters: schema },
      { type: "custom", name: "u" },
    ],
    text: { format: { type: "json_object" }, verbosity: "low" },
    reasoning: { effort: "low" },
  },
  stream: {
    request: {
      model: "m",
      messages: [
        { role: "user", content: [{ kind: "text", text: "hi" }] },
        {
          role: "assistant",
          content: [{ kind: "tool_call", toolCall: { id: "c", name: "t", type: "function", arguments: {} } }],
        },
        {
          role: "tool",
          toolCallId: "c",
          content: [{ kind: "tool_result", toolResult: { toolCallId: "c", content: "r", isError: false } }],
        },
      ],
      tools: [{ name: "t", description: "d", parameters: schema }],
    },
  },
};
