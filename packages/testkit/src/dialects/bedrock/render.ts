// Bedrock Converse: how a turn and an error look on the wire. Streams are binary AWS frames.

import { type Dialect, deltas, type ResolvedBlock, type ResolvedTurn } from "../../dialect.ts";
import type { RecordedRequest } from "../../record.ts";
import type { ScriptedUsage } from "../../turn.ts";
import type { StreamPart } from "../../wire.ts";
import { defaultMessage, errorHeaders, header } from "../http.ts";
import { validate } from "./validate.ts";

const EXCEPTIONS: Readonly<Record<number, string>> = {
  400: "ValidationException",
  401: "UnrecognizedClientException",
  403: "AccessDeniedException",
  404: "ResourceNotFoundException",
  408: "ModelTimeoutException",
  413: "ValidationException",
  429: "ThrottlingException",
  500: "InternalServerException",
  503: "ServiceUnavailableException",
};

const STREAM_ERRORS = {
  overloaded: { exception: "serviceUnavailableException", message: "The service is currently unavailable." },
  rate_limit: { exception: "throttlingException", message: "Too many requests, please wait before trying again." },
  server: { exception: "internalServerException", message: "The system encountered an unexpected error." },
  invalid: { exception: "validationException", message: "The model returned a validation error." },
  context_length: { exception: "validationException", message: "The model returned: prompt is too long" },
};

const STOPS = { stop: "end_turn", length: "max_tokens", tool_calls: "tool_use", content_filter: "content_filtered" };

export const bedrock: Dialect = {
  name: "bedrock",
  defaultModel: "anthropic.claude-sonnet-4-5-20250929-v1:0",
  framing: () => "aws",
  credential: (request: RecordedRequest) => {
    const value = header(request, "authorization");
    return value?.startsWith("Bearer ") ? value.slice(7) : value;
  },
  denial: (key) =>
    key === undefined
      ? { status: 403, message: "Missing Authentication Token", code: "MissingAuthenticationTokenException" }
      : { status: 403, message: "The security token in the request is invalid.", code: "UnrecognizedClientException" },
  validate,
  complete: (turn) => ({
    output: { message: { role: "assistant", content: turn.blocks.map(contentBlock) } },
    stopReason: turn.rawStop ?? STOPS[turn.stop],
    usage: usage(turn.usage),
    metrics: { latencyMs: 1 },
  }),
  stream,
  count: (tokens) => ({ inputTokens: tokens }),
  error: (status, options) => ({
    status,
    headers: {
      "x-amzn-errortype": options.code ?? EXCEPTIONS[status] ?? "InternalServerException",
      ...errorHeaders(options),
    },
    body: { message: options.message ?? defaultMessage(status) },
  }),
  streamError: (kind, message) => {
    const error = STREAM_ERRORS[kind];
    return { exception: error.exception, data: { message: message ?? error.message } };
  },
};

function usage(numbers: ScriptedUsage | undefined) {
  if (!numbers) return undefined;
  const cached = (numbers.cacheRead ?? 0) + (numbers.cacheWrite ?? 0);
  return {
    inputTokens: numbers.input,
    outputTokens: numbers.output,
    totalTokens: numbers.input + numbers.output + cached,
    cacheReadInputTokens: numbers.cacheRead ?? 0,
    cacheWriteInputTokens: numbers.cacheWrite ?? 0,
  };
}

function contentBlock(block: ResolvedBlock) {
  switch (block.type) {
    case "text":
      return { text: block.text };
    case "thinking":
      return block.redacted
        ? { reasoningContent: { redactedContent: base64(block.text) } }
        : { reasoningContent: { reasoningText: { text: block.text, signature: block.signature } } };
    case "call":
      return { toolUse: { toolUseId: block.id, name: block.name, input: block.args } };
  }
}

const base64 = (value: string) => Buffer.from(value).toString("base64");

function stream(turn: ResolvedTurn): StreamPart[] {
  return [
    { event: "messageStart", data: { role: "assistant" } },
    ...turn.blocks.flatMap((block, index) => streamBlock(block, index, turn.deltaChars)),
    { event: "messageStop", data: { stopReason: turn.rawStop ?? STOPS[turn.stop] }, terminal: true },
    { event: "metadata", data: { usage: usage(turn.usage), metrics: { latencyMs: 1 } }, terminal: true },
  ];
}

function streamBlock(block: ResolvedBlock, contentBlockIndex: number, size: number): StreamPart[] {
  const delta = (value: object): StreamPart => ({
    event: "contentBlockDelta",
    data: { contentBlockIndex, delta: value },
  });
  const stop = { event: "contentBlockStop", data: { contentBlockIndex } };
  switch (block.type) {
    case "text":
      return [...deltas(block.text, size).map((text) => ({ ...delta({ text }), repeatable: true })), stop];
    case "thinking": {
      if (block.redacted) return [delta({ reasoningContent: { redactedContent: base64(block.text) } }), stop];
      const signature = block.signature === "" ? [] : [delta({ reasoningContent: { signature: block.signature } })];
      return [...deltas(block.text, size).map((text) => delta({ reasoningContent: { text } })), ...signature, stop];
    }
    case "call": {
      const start = { toolUse: { toolUseId: block.id, name: block.name } };
      return [
        { event: "contentBlockStart", data: { contentBlockIndex, start } },
        ...deltas(block.rawArgs, size).map((input) => delta({ toolUse: { input } })),
        stop,
      ];
    }
  }
}
