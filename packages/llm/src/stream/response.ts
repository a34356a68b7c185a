// Response values: the accessors over a message are computed here and nowhere else.

import type { Message, ToolCallData } from "../types/message.ts";
import { textOf } from "../types/message.ts";
import type { Response, ToolCall } from "../types/response.ts";

/** A response with its accessors. */
export function makeResponse(base: Omit<Response, "text" | "toolCalls" | "reasoning">): Response {
  const reasoning = reasoningOf(base.message);
  return {
    ...base,
    text: textOf(base.message),
    toolCalls: toolCallsOf(base.message),
    ...(reasoning === undefined ? {} : { reasoning }),
  };
}

function toolCallsOf(message: Message): readonly ToolCall[] {
  const calls: ToolCall[] = [];
  for (const part of message.content) if (part.kind === "tool_call") calls.push(toToolCall(part.toolCall));
  return calls;
}

/** A free-form call has no object, so its text goes into `input`, as with vendors that have no such tools. */
function toToolCall(call: ToolCallData): ToolCall {
  if (typeof call.arguments === "string")
    return { id: call.id, name: call.name, arguments: { input: call.arguments }, rawArguments: call.arguments };
  return {
    id: call.id,
    name: call.name,
    arguments: call.arguments,
    ...(call.rawArguments === undefined ? {} : { rawArguments: call.rawArguments }),
  };
}

function reasoningOf(message: Message): string | undefined {
  let reasoning: string | undefined;
  for (const part of message.content)
    if (part.kind === "thinking" && part.thinking.text !== "") reasoning = (reasoning ?? "") + part.thinking.text;
  return reasoning;
}
