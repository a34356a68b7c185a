// A model that makes given calls, one step at a time, and answers its children with a few words.

import type { JsonObject, Message, ProviderAdapter, Request, Response, ToolCallData } from "@lathe/llm";
import type { HostileCall } from "./hostile-calls.ts";

/** The prompt of the session under attack; its children get others. */
export const PROMPT = "go on with the attack";

/** `beforeStep` runs when all calls of the previous step have their results. */
export function hostileModel(
  steps: readonly (readonly HostileCall[])[],
  beforeStep: (step: number, request: Request) => void,
): ProviderAdapter {
  let next = 0;
  const answer = (request: Request): Response => {
    if (!isAttack(request)) return response(request.model, "done", []);
    beforeStep(next, request);
    const calls = steps[next++] ?? [];
    return response(request.model, calls.length === 0 ? "done" : "", calls);
  };
  return {
    name: "scripted",
    complete: async (request) => answer(request),
    async *stream(request) {
      const given = answer(request);
      yield { type: "stream_start", id: given.id, model: given.model };
      if (given.text !== "") {
        yield { type: "text_start", textId: "t" };
        yield { type: "text_delta", textId: "t", delta: given.text };
        yield { type: "text_end", textId: "t", text: given.text };
      }
      for (const [n, { toolCall }] of callsOf(given.message).entries()) {
        const streamed = {
          ...toolCall,
          arguments: toolCall.arguments as JsonObject,
          type: "function" as const,
          rawArguments: "",
        };
        yield { type: "tool_call_start", callKey: `${n}`, toolCall: streamed };
        yield { type: "tool_call_end", callKey: `${n}`, toolCall: streamed };
      }
      yield { type: "finish", finishReason: given.finishReason, usage: given.usage, response: given };
    },
  };
}

const isAttack = ({ messages }: Request): boolean =>
  messages.some(
    ({ role, content }) => role === "user" && content.some((part) => part.kind === "text" && part.text === PROMPT),
  );

const callsOf = ({ content }: Message): { toolCall: ToolCallData }[] =>
  content.flatMap((part) => (part.kind === "tool_call" ? [part] : []));

function response(model: string, text: string, calls: readonly HostileCall[]): Response {
  const parts = calls.map(({ id, name, args }) => {
    const toolCall: ToolCallData = { id, name, arguments: args as JsonObject, type: "function" };
    return { kind: "tool_call" as const, toolCall };
  });
  return {
    id: "answer",
    model,
    provider: "scripted",
    message: { role: "assistant", content: [...(text === "" ? [] : [{ kind: "text" as const, text }]), ...parts] },
    finishReason: { reason: calls.length > 0 ? "tool_calls" : "stop" },
    usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
    warnings: [],
    text,
    toolCalls: calls.map(({ id, name, args }) => ({ id, name, arguments: args as JsonObject })),
  };
}
