// Returns an answer that is known in advance as a model client would: whole, or in small pieces.

import { type CallContext, type Message, type Request, type Response, type StreamEvent, textOf } from "@lathe/llm";

export interface ScriptedAnswer {
  readonly text?: string | undefined;
  readonly call?: { readonly name: string; readonly args: Readonly<Record<string, unknown>> } | undefined;
}

export function responseOf(provider: string, request: Request, { text = "", call }: ScriptedAnswer): Response {
  const id = `${provider}_${request.messages.length}`;
  const toolCall = call && { id, name: call.name, arguments: call.args as never };
  const message: Message = {
    role: "assistant",
    content: [
      ...(text === "" ? [] : [{ kind: "text" as const, text }]),
      ...(toolCall ? [{ kind: "tool_call" as const, toolCall: { ...toolCall, type: "function" as const } }] : []),
    ],
  };
  const inputTokens = Math.ceil(request.messages.reduce((sum, message) => sum + textOf(message).length, 0) / 4);
  const outputTokens = Math.ceil(text.length / 4);
  return {
    id,
    model: request.model,
    provider,
    message,
    finishReason: { reason: call ? "tool_calls" : "stop" },
    usage: {
      inputTokens,
      outputTokens,
      totalTokens: inputTokens + outputTokens,
      estimated: ["inputTokens", "outputTokens"],
    },
    warnings: [],
    text,
    toolCalls: toolCall ? [toolCall] : [],
  };
}

export async function* streamAnswer(answered: Response, context: CallContext): AsyncIterable<StreamEvent> {
  yield { type: "stream_start", id: answered.id, model: answered.model };
  if (answered.text !== "") {
    yield { type: "text_start", textId: "0" };
    for (const piece of answered.text.match(/\S+\s*|\s+/g) ?? []) {
      context.signal?.throwIfAborted();
      yield { type: "text_delta", textId: "0", delta: piece };
    }
    yield { type: "text_end", textId: "0", text: answered.text };
  }
  for (const call of answered.toolCalls) {
    const delta = JSON.stringify(call.arguments);
    const toolCall = { ...call, type: "function" as const, rawArguments: delta };
    yield { type: "tool_call_start", callKey: "1", toolCall: { ...toolCall, rawArguments: "", arguments: {} } };
    yield { type: "tool_call_delta", callKey: "1", toolCall, delta };
    yield { type: "tool_call_end", callKey: "1", toolCall };
  }
  yield { type: "finish", finishReason: answered.finishReason, usage: answered.usage, response: answered };
}
