// For authors of adapters: the types, and the shared machinery below the client.

export { type AdapterOptions, createAdapter, DEFAULT_TIMEOUTS } from "./adapter.ts";
export { unknownModel } from "./catalog/assumed.ts";
export { defaultDeps } from "./deps.ts";
export { classifyHttpFailure, type HttpFailure, inStreamError, redact } from "./errors/classify.ts";
export { type ResponseHeaders, rateLimitOf, requestIdOf, retryAfterOf } from "./errors/headers.ts";
export { createFramer } from "./framing/framer.ts";
export { toGeminiSchema } from "./schema/gemini.ts";
export { toOpenAIStrict } from "./schema/openai.ts";
export { createSegmentCache, makeSegment } from "./segments.ts";
export { type BlockSinkOptions, Blocks } from "./stream/blocks.ts";
export { parsePartialJson } from "./stream/partial-json.ts";
export { makeResponse } from "./stream/response.ts";
export * from "./types/adapter.ts";
export * from "./types/errors.ts";
export * from "./types/events.ts";
export * from "./types/json.ts";
export * from "./types/message.ts";
export * from "./types/model.ts";
export type { Framer } from "./types/protocol.ts";
export * from "./types/protocol.ts";
export * from "./types/request.ts";
export * from "./types/response.ts";
