// A model that gives fixed answers, so that a command can use the real session without a provider.

import type { Message, ProviderAdapter, Request, Response } from "@lathe/llm";

export interface FixedAnswer {
  readonly text?: string;
  readonly call?: { readonly name: string; readonly args: Readonly<Record<string, unknown>> };
}

/** Answers in order; the last one again when there are more requests. */
export function fixedAnswers(name: string, answers: readonly FixedAnswer[]): ProviderAdapter {
  let asked = 0;
  const answer = (request: Request): Response => {
    const given = answers[Math.min(asked++, answers.length - 1)] ?? {};
    return responseOf(name, request.model, given, asked);
  };
  return {
    name,
    complete: async (request) => answer(request),
    async *stream(request) {
      const response = answer(request);
      yield { type: "stream_start", id: response.id, model: response.model };
      if (response.text !== "") {
        yield { type: "text_start", textId: "0" };
        yield { type: "text_delta", textId: "0", delta: response.text };
        yield { type: "text_end", textId: "0", text: response.text };
      }
      for (const call of response.toolCalls) {
        const toolCall = { ...call, type: "function" as const, rawArguments: JSON.stringify(call.arguments) };
        yield { type: "tool_call_start", callKey: "1", toolCall };
        yield { type: "tool_call_end", callKey: "1", toolCall };
      }
      yield { type: "finish", finishReason: response.finishReason, usage: response.usage, response };
    },
  };
}

function responseOf(provider: string, model: string, { text = "", call }: FixedAnswer, n: number): Response {
  const args = (call?.args ?? {}) as never;
  const id = `call_${n}`;
  const message: Message = {
    role: "assistant",
    content: [
      ...(text === "" ? [] : [{ kind: "text" as const, text }]),
      ...(call
        ? [
            {
              kind: "tool_call" as const,
              toolCall: { id, name: call.name, arguments: args, type: "function" as const },
            },
          ]
        : []),
    ],
  };
  return {
    id: `answer_${n}`,
    model,
    provider,
    message,
    finishReason: { reason: call ? "tool_calls" : "stop" },
    usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
    warnings: [],
    text,
    toolCalls: call ? [{ id, name: call.name, arguments: args }] : [],
  };
}
