// The practice model as a provider: offline and deterministic. It reads the conversation it is sent, runs the fitting play up
// to the next step, and answers like any other model, in small pieces.

import type {
  CallContext,
  Message,
  ProviderAdapter,
  Request,
  Response,
  StreamEvent,
  ToolCallPart,
  Usage,
} from "@lathe/llm";
import { textOf } from "@lathe/llm";
import { PRACTICE_PROVIDER } from "./name.ts";
import type { Outcome, Play, Step } from "./play.ts";
import { HELP, playFor } from "./requests.ts";

export function practiceAdapter(): ProviderAdapter {
  return {
    name: PRACTICE_PROVIDER,
    complete: async (request) => answer(request),
    stream: (request, context) => streamAnswer(answer(request), context),
  };
}

function answer(request: Request): Response {
  const { play, outcomes } = understand(request.messages);
  if (!play) return response(request, HELP);
  let step = play.next();
  for (const outcome of outcomes) {
    if (step.done) break;
    step = play.next(outcome);
  }
  return step.done ? response(request, step.value) : response(request, step.value.say ?? "", step.value);
}

/** The last request that we understand, and the results of the calls made since. */
function understand(messages: readonly Message[]): { play: Play | undefined; outcomes: readonly Outcome[] } {
  let play: Play | undefined;
  let outcomes: Outcome[] = [];
  for (const message of messages) {
    if (message.role === "user") {
      const asked = playFor(requestIn(message));
      // What we do not understand in the middle of work does not stop the work.
      if (asked || outcomes.length === 0) {
        play = asked;
        outcomes = [];
      }
    } else if (message.role === "tool") {
      for (const part of message.content) {
        if (part.kind !== "tool_result") continue;
        const { content, isError } = part.toolResult;
        outcomes.push({ text: typeof content === "string" ? content : JSON.stringify(content), isError });
      }
    } else if (message.role === "assistant" && !message.content.some((part) => part.kind === "tool_call")) {
      play = undefined;
      outcomes = [];
    }
  }
  return { play, outcomes };
}

/** The person's own words, without the blocks that stand before them: environment, files, piped text. */
function requestIn(message: Message): string {
  return textOf(message)
    .replace(/<environment>[\s\S]*?<\/environment>|<file path="[^"]*">[\s\S]*?<\/file>|<stdin>[\s\S]*?<\/stdin>/g, "")
    .trim();
}

function response(request: Request, text: string, step?: Step): Response {
  const call: ToolCallPart | undefined = step && {
    kind: "tool_call",
    toolCall: {
      id: `practice_${request.messages.length}`,
      name: step.call.name,
      arguments: step.call.args,
      type: "function",
    },
  };
  const message: Message = {
    role: "assistant",
    content: [...(text === "" ? [] : [{ kind: "text" as const, text }]), ...(call ? [call] : [])],
  };
  return {
    id: `practice-${request.messages.length}`,
    model: request.model,
    provider: PRACTICE_PROVIDER,
    message,
    finishReason: { reason: call ? "tool_calls" : "stop" },
    usage: usageOf(request, text),
    warnings: [],
    text,
    toolCalls: step
      ? [{ id: `practice_${request.messages.length}`, name: step.call.name, arguments: step.call.args }]
      : [],
  };
}

function usageOf(request: Request, text: string): Usage {
  const input = Math.ceil(request.messages.reduce((sum, message) => sum + textOf(message).length, 0) / 4);
  const output = Math.ceil(text.length / 4);
  return {
    inputTokens: input,
    outputTokens: output,
    totalTokens: input + output,
    estimated: ["inputTokens", "outputTokens"],
  };
}

async function* streamAnswer(answered: Response, context: CallContext): AsyncIterable<StreamEvent> {
  yield { type: "stream_start", id: answered.id, model: answered.model };
  if (answered.text !== "") {
    yield { type: "text_start", textId: "0" };
    for (const piece of answered.text.match(/\S+\s*|\s+/g) ?? []) {
      context.signal?.throwIfAborted();
      yield { type: "text_delta", textId: "0", delta: piece };
    }
    yield { type: "text_end", textId: "0", text: answered.text };
  }
  const [call] = answered.toolCalls;
  if (call) {
    const raw = JSON.stringify(call.arguments);
    const toolCall = {
      id: call.id,
      name: call.name,
      type: "function" as const,
      rawArguments: raw,
      arguments: call.arguments,
    };
    yield { type: "tool_call_start", callKey: "1", toolCall: { ...toolCall, rawArguments: "", arguments: {} } };
    yield { type: "tool_call_delta", callKey: "1", toolCall, delta: raw };
    yield { type: "tool_call_end", callKey: "1", toolCall };
  }
  yield { type: "finish", finishReason: answered.finishReason, usage: answered.usage, response: answered };
}
