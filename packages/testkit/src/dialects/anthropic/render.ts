// Anthropic Messages: how a turn and an error look on the wire.

import { type Dialect, deltas, type ResolvedBlock, type ResolvedTurn } from "../../dialect.ts";
import { serialPart } from "../../resolve.ts";
import type { ScriptedUsage } from "../../turn.ts";
import type { StreamPart } from "../../wire.ts";
import { bearer, defaultMessage, errorHeaders, header } from "../http.ts";
import { validate } from "./validate.ts";

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  408: "timeout_error",
  413: "request_too_large",
  429: "rate_limit_error",
  500: "api_error",
  502: "api_error",
  503: "api_error",
  529: "overloaded_error",
};

const STREAM_ERRORS = {
  overloaded: { type: "overloaded_error", message: "Overloaded" },
  rate_limit: { type: "rate_limit_error", message: "This request would exceed your rate limit." },
  server: { type: "api_error", message: "Internal server error" },
  invalid: { type: "invalid_request_error", message: "The request is invalid." },
  context_length: { type: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" },
};

const STOPS = { stop: "end_turn", length: "max_tokens", tool_calls: "tool_use", content_filter: "refusal" };

export const anthropic: Dialect = {
  name: "anthropic",
  defaultModel: "claude-sonnet-4-5",
  framing: () => "sse",
  credential: (request) => header(request, "x-api-key") ?? bearer(request),
  denial: (key) => ({ status: 401, message: key === undefined ? "x-api-key header is required" : "invalid x-api-key" }),
  validate,
  complete: (turn) => ({
    ...envelope(turn),
    content: turn.blocks.map(contentBlock),
    stop_reason: turn.rawStop ?? STOPS[turn.stop],
    usage: usage(turn.usage),
  }),
  stream,
  count: (tokens) => ({ input_tokens: tokens }),
  error: (status, options, serial) => ({
    status,
    headers: errorHeaders(options),
    body: {
      type: "error",
      error: {
        type: options.code ?? ERROR_TYPES[status] ?? "api_error",
        message: options.message ?? defaultMessage(status),
      },
      request_id: `req_testkit_${serial}`,
    },
  }),
  streamError: (kind, message) => {
    const error = STREAM_ERRORS[kind];
    return { event: "error", data: { type: "error", error: { ...error, message: message ?? error.message } } };
  },
  ping: { event: "ping", data: { type: "ping" } },
};

function envelope(turn: ResolvedTurn) {
  return {
    id: turn.id ?? `msg_01${serialPart(turn.serial)}`,
    type: "message",
    role: "assistant",
    model: turn.model,
    stop_sequence: null,
  };
}

function usage(numbers: ScriptedUsage | undefined) {
  if (!numbers) return undefined;
  return {
    input_tokens: numbers.input,
    cache_creation_input_tokens: numbers.cacheWrite ?? 0,
    cache_read_input_tokens: numbers.cacheRead ?? 0,
    ...outputUsage(numbers),
    service_tier: "standard",
  };
}

function outputUsage(numbers: ScriptedUsage) {
  const thinking =
    numbers.reasoning === undefined ? {} : { output_tokens_details: { thinking_tokens: numbers.reasoning } };
  return { output_tokens: numbers.output, ...thinking };
}

function contentBlock(block: ResolvedBlock) {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "thinking":
      return block.redacted
        ? { type: "redacted_thinking", data: block.text }
        : { type: "thinking", thinking: block.text, signature: block.signature };
    case "call":
      return { type: "tool_use", id: block.id, name: block.name, input: block.args };
  }
}

function stream(turn: ResolvedTurn): StreamPart[] {
  const start = {
    ...envelope(turn),
    content: [],
    stop_reason: null,
    usage: turn.usage && { ...usage(turn.usage), output_tokens: 1 },
  };
  const finalUsage = turn.usage && outputUsage(turn.usage);
  return [
    event("message_start", { message: start }),
    ...turn.blocks.flatMap((block, index) => streamBlock(block, index, turn.deltaChars)),
    event("message_delta", {
      delta: { stop_reason: turn.rawStop ?? STOPS[turn.stop], stop_sequence: null },
      usage: finalUsage,
    }),
    { ...event("message_stop", {}), terminal: true },
  ];
}

function event(type: string, fields: object): StreamPart {
  return { event: type, data: { type, ...fields } };
}

function streamBlock(block: ResolvedBlock, index: number, size: number): StreamPart[] {
  const { opening, updates } = blockEvents(block, size);
  return [
    event("content_block_start", { index, content_block: opening }),
    ...updates.map((delta) => ({
      ...event("content_block_delta", { index, delta }),
      repeatable: delta.type === "text_delta",
    })),
    event("content_block_stop", { index }),
  ];
}

function blockEvents(block: ResolvedBlock, size: number): { opening: object; updates: { type: string }[] } {
  switch (block.type) {
    case "text":
      return {
        opening: { type: "text", text: "" },
        updates: deltas(block.text, size).map((text) => ({ type: "text_delta", text })),
      };
    case "thinking": {
      if (block.redacted) return { opening: { type: "redacted_thinking", data: block.text }, updates: [] };
      const signature = block.signature === "" ? [] : [{ type: "signature_delta", signature: block.signature }];
      return {
        opening: { type: "thinking", thinking: "", signature: "" },
        updates: [...deltas(block.text, size).map((thinking) => ({ type: "thinking_delta", thinking })), ...signature],
      };
    }
    case "call":
      return {
        opening: { type: "tool_use", id: block.id, name: block.name, input: {} },
        updates: ["", ...deltas(block.rawArgs, size)].map((json) => ({ type: "input_json_delta", partial_json: json })),
      };
  }
}
