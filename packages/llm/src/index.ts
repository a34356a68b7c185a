// The client and the high-level calls. Adapters are written against `@lathe/llm/adapter-kit`.

export { Client, type ClientOptions } from "./client/client.ts";
export { getDefaultClient, setDefaultClient } from "./client/default.ts";
export type { FromEnvOptions } from "./client/from-env.ts";
export { defaultDeps } from "./deps.ts";
export { DEFAULT_RETRY, type RetryPolicy, retry } from "./errors/retry.ts";
export type { Middleware } from "./middleware/compose.ts";
export { StreamAccumulator } from "./stream/accumulate.ts";
export { parsePartialJson } from "./stream/partial-json.ts";
export { throttle } from "./stream/throttle.ts";
export { addUsage, billedOutputTokens, cacheHitRatio, costOf, promptTokens } from "./stream/usage.ts";
export * from "./types/adapter.ts";
export * from "./types/errors.ts";
export * from "./types/events.ts";
export * from "./types/json.ts";
export * from "./types/message.ts";
export * from "./types/model.ts";
export * from "./types/request.ts";
export * from "./types/response.ts";
