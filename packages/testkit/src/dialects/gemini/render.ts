// Gemini generateContent, also under Vertex paths: how a turn and an error look on the wire.

import { type Dialect, deltas, type ErrorDetails, type ResolvedBlock, type ResolvedTurn } from "../../dialect.ts";
import { callSignature, serialPart } from "../../resolve.ts";
import type { ScriptedUsage } from "../../turn.ts";
import type { StreamPart } from "../../wire.ts";
import { bearer, defaultMessage, errorHeaders, header } from "../http.ts";
import { validate } from "./validate.ts";

const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  408: "DEADLINE_EXCEEDED",
  413: "INVALID_ARGUMENT",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  502: "UNAVAILABLE",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
  529: "UNAVAILABLE",
};

const RPC = "type.googleapis.com/google.rpc";

const STOPS = { stop: "STOP", length: "MAX_TOKENS", tool_calls: "STOP", content_filter: "SAFETY" };

const STREAM_ERRORS = {
  overloaded: { code: 503, message: "The model is overloaded. Please try again later." },
  rate_limit: { code: 429, message: "Resource has been exhausted (e.g. check quota)." },
  server: { code: 500, message: "An internal error has occurred." },
  invalid: { code: 400, message: "Request contains an invalid argument." },
  context_length: {
    code: 400,
    message: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
  },
};

export const gemini: Dialect = {
  name: "gemini",
  defaultModel: "gemini-3-flash-preview",
  framing: (request) => (request.query["alt"] === "sse" ? "sse" : "json-array"),
  credential: (request) => header(request, "x-goog-api-key") ?? request.query["key"] ?? bearer(request),
  denial: (key) =>
    key === undefined
      ? { status: 403, message: "Method doesn't allow unregistered callers. Please use an API key." }
      : { status: 400, message: "API key not valid. Please pass a valid API key.", reason: "API_KEY_INVALID" },
  validate,
  complete: (turn) => chunk(turn, parts(turn), { finish: true }),
  stream,
  count: (tokens) => ({ totalTokens: tokens }),
  error: (status, options) => ({
    status,
    headers: errorHeaders(options),
    body: { error: errorObject(status, options) },
  }),
  streamError: (kind, message) => {
    const error = STREAM_ERRORS[kind];
    return { data: { error: errorObject(error.code, { message: message ?? error.message }) } };
  },
};

function errorObject(status: number, options: ErrorDetails) {
  const details = [
    ...(options.reason === undefined ? [] : [{ "@type": `${RPC}.ErrorInfo`, reason: options.reason }]),
    ...(options.retryInfo === undefined ? [] : [{ "@type": `${RPC}.RetryInfo`, retryDelay: options.retryInfo }]),
  ];
  return {
    code: status,
    message: options.message ?? defaultMessage(status),
    status: options.code ?? STATUS_NAMES[status] ?? "UNKNOWN",
    ...(details.length === 0 ? {} : { details }),
  };
}

type Part = Readonly<Record<string, unknown>>;

/** The first call of a turn is signed, as by Gemini 3; further parallel calls are not. */
function parts(turn: ResolvedTurn): Part[] {
  const firstCall = turn.blocks.findIndex((block) => block.type === "call");
  return turn.blocks.map((block, i) => part(block, i === firstCall));
}

function part(block: ResolvedBlock, firstCall: boolean): Part {
  switch (block.type) {
    case "text":
      return { text: block.text, ...(block.signature === undefined ? {} : { thoughtSignature: block.signature }) };
    case "thinking":
      return { text: block.text, thought: true };
    case "call": {
      const signature = block.signature ?? (firstCall ? callSignature(block.name, block.args) : "");
      return {
        functionCall: { ...(block.ownId ? { id: block.id } : {}), name: block.name, args: block.args },
        ...(signature === "" ? {} : { thoughtSignature: signature }),
      };
    }
  }
}

function chunk(turn: ResolvedTurn, content: readonly Part[], { finish }: { finish: boolean }) {
  return {
    candidates: [
      {
        content: { parts: content, role: "model" },
        ...(finish ? { finishReason: turn.rawStop ?? STOPS[turn.stop] } : {}),
        index: 0,
      },
    ],
    ...(turn.usage ? { usageMetadata: finish ? usage(turn.usage) : { promptTokenCount: turn.usage.input } } : {}),
    modelVersion: turn.model,
    responseId: turn.id ?? `resp${serialPart(turn.serial)}`,
  };
}

function usage(numbers: ScriptedUsage) {
  return {
    promptTokenCount: numbers.input,
    candidatesTokenCount: numbers.output,
    totalTokenCount: numbers.input + numbers.output + (numbers.reasoning ?? 0),
    ...(numbers.cacheRead === undefined ? {} : { cachedContentTokenCount: numbers.cacheRead }),
    ...(numbers.reasoning === undefined ? {} : { thoughtsTokenCount: numbers.reasoning }),
  };
}

/** The last chunk carries the finish reason; there is no separate terminal event. */
function stream(turn: ResolvedTurn): StreamPart[] {
  const whole = parts(turn);
  const pieces = turn.blocks.flatMap((block, i) => split(block, whole[i]!, turn.deltaChars));
  return [
    ...pieces.map((piece) => ({ data: chunk(turn, [piece], { finish: false }), repeatable: "text" in piece })),
    { data: chunk(turn, [{ text: "" }], { finish: true }), terminal: true },
  ];
}

function split(block: ResolvedBlock, whole: Part, size: number): Part[] {
  if (block.type === "call") return [whole];
  const texts = deltas(block.text, size);
  return texts.map((text, i) => {
    const { thoughtSignature, ...rest } = whole;
    const signed = i === texts.length - 1 && thoughtSignature !== undefined;
    return { ...rest, text, ...(signed ? { thoughtSignature } : {}) };
  });
}
