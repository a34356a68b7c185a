// OpenAI Chat Completions: how a turn and an error look on the wire.

import { type Dialect, deltas, type ResolvedBlock, type ResolvedCall, type ResolvedTurn } from "../../dialect.ts";
import type { RecordedRequest } from "../../record.ts";
import { serialPart } from "../../resolve.ts";
import type { ScriptedUsage } from "../../turn.ts";
import type { StreamPart } from "../../wire.ts";
import { bearer, header } from "../http.ts";
import { openaiDenied, openaiError, openaiStreamErrors } from "../openai-errors.ts";
import { validate } from "./validate.ts";

export const chat: Dialect = {
  name: "chat",
  defaultModel: "gpt-5.2",
  framing: () => "sse",
  credential: (request) => bearer(request) ?? header(request, "api-key"),
  denial: openaiDenied,
  validate,
  complete: (turn) => ({
    ...envelope(turn, "chat.completion"),
    choices: [{ index: 0, message: message(turn), logprobs: null, finish_reason: turn.rawStop ?? turn.stop }],
    usage: usage(turn.usage),
  }),
  stream,
  count: (tokens) => ({ input_tokens: tokens }),
  error: (status, options) => openaiError(status, options),
  streamError: (kind, text) => {
    const error = openaiStreamErrors[kind];
    return { data: { error: { message: text ?? error.message, type: "server_error", param: null, code: error.code } } };
  },
};

function envelope(turn: ResolvedTurn, object: string) {
  return {
    id: turn.id ?? `chatcmpl-${serialPart(turn.serial)}`,
    object,
    created: 1_735_689_600,
    model: turn.model,
    system_fingerprint: null,
  };
}

function message(turn: ResolvedTurn) {
  const calls = callsOf(turn);
  const reasoning = joinBlocks(turn, "thinking");
  return {
    role: "assistant",
    content: joinBlocks(turn, "text") || null,
    refusal: null,
    ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(toolCall) }),
  };
}

function callsOf(turn: ResolvedTurn): ResolvedCall[] {
  return turn.blocks.filter((block) => block.type === "call");
}

function joinBlocks(turn: ResolvedTurn, type: "text" | "thinking"): string {
  return turn.blocks.map((block) => (block.type === type ? block.text : "")).join("");
}

function toolCall(call: ResolvedCall) {
  return { id: call.id, type: "function", function: { name: call.name, arguments: call.rawArgs } };
}

function usage(numbers: ScriptedUsage | undefined) {
  if (!numbers) return undefined;
  return {
    prompt_tokens: numbers.input,
    completion_tokens: numbers.output,
    total_tokens: numbers.input + numbers.output,
    prompt_tokens_details: { cached_tokens: numbers.cacheRead ?? 0 },
    completion_tokens_details: { reasoning_tokens: numbers.reasoning ?? 0 },
  };
}

function stream(turn: ResolvedTurn, request: RecordedRequest): StreamPart[] {
  const head = envelope(turn, "chat.completion.chunk");
  const chunk = (delta: object, finish: string | null = null): StreamPart => ({
    data: { ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] },
  });
  const numbers = usage(turn.usage);
  const wantsUsage = request.body?.stream_options?.include_usage === true;
  return [
    chunk({ role: "assistant", content: "" }),
    ...contentDeltas(turn).map((item) => ({ ...chunk(item.delta), repeatable: item.text })),
    chunk({}, turn.rawStop ?? turn.stop),
    ...(numbers && wantsUsage ? [{ data: { ...head, choices: [], usage: numbers } }] : []),
    { data: "[DONE]", terminal: true },
  ];
}

interface ContentDelta {
  readonly delta: object;
  readonly text: boolean;
}

function contentDeltas(turn: ResolvedTurn): ContentDelta[] {
  const calls = callsOf(turn);
  return turn.blocks.flatMap((block) => blockDeltas(block, calls, turn.deltaChars));
}

function blockDeltas(block: ResolvedBlock, calls: readonly ResolvedCall[], size: number): ContentDelta[] {
  switch (block.type) {
    case "text":
      return deltas(block.text, size).map((content) => ({ delta: { content }, text: true }));
    case "thinking":
      return deltas(block.text, size).map((part) => ({ delta: { reasoning_content: part }, text: false }));
    case "call": {
      const index = calls.indexOf(block);
      const opening = { index, id: block.id, type: "function", function: { name: block.name, arguments: "" } };
      const fragments = deltas(block.rawArgs, size).map((part) => ({ index, function: { arguments: part } }));
      return [opening, ...fragments].map((item) => ({ delta: { tool_calls: [item] }, text: false }));
    }
  }
}
