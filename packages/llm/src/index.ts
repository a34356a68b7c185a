// The client and the high-level calls. Adapters are written against `@lathe/llm/adapter-kit`.

export {
  builtinCatalog,
  type Capability,
  type Catalog,
  getLatestModel,
  getModelInfo,
  listModels,
  refreshCatalog,
} from "./catalog/index.ts";
export { clampLevel, isThinkingLevel, offeredLevels, thinkingLevels } from "./catalog/thinking.ts";
export { Client } from "./client/client.ts";
export { getDefaultClient, setDefaultClient } from "./client/default.ts";
export type { FromEnvOptions } from "./client/from-env.ts";
export { type ClientOptions, RoutingClient } from "./client/routing-client.ts";
export { defaultDeps } from "./deps.ts";
export {
  type DiscoverOptions,
  type DiscoveryType,
  discover,
  discoverLocal,
  type LocalServer,
} from "./discovery/index.ts";
export { refusesTools, statedWindow } from "./errors/local-servers.ts";
export { DEFAULT_RETRY, type RetryContext, type RetryPolicy, retry } from "./errors/retry.ts";
export { messageOf } from "./errors/thrown.ts";
export { generate } from "./generate/generate.ts";
export * from "./generate/object.ts";
export type { GenerateOptions, GenerateResult, StepResult } from "./generate/operation.ts";
export { type GenerateEvent, type StreamResult, stream } from "./generate/stream.ts";
export {
  checkToolCall,
  defineTool,
  type RepairToolCall,
  type Tool,
  type ToolCallContext,
  type ToolCallResult,
  type ToolOutput,
  type TypedTool,
} from "./generate/tools.ts";
export { type HarmonyGuardOptions, harmonyGuard } from "./guard/harmony.ts";
export { namesFiles, readFiles } from "./media/resolve.ts";
export type { ClientMiddleware } from "./middleware/compose.ts";
export { type TextCallOptions, withTextCalls } from "./middleware/text-calls.ts";
export { fixedThinking } from "./protocols/anthropic/effort.ts";
export * from "./registry/check-config.ts";
export * from "./registry/config.ts";
export { defaultModels } from "./registry/defaults.ts";
export * from "./registry/registry.ts";
export * from "./registry/select.ts";
export { isPattern } from "./schema/checkable.ts";
export {
  type Checked,
  checkValue,
  type InferSchema,
  jsonSchemaOf,
  type SchemaInput,
  type StandardIssue,
  type StandardResult,
  type StandardSchema,
} from "./schema/typed.ts";
export { type Violation, violationOf, withoutOptionalNulls } from "./schema/validate.ts";
export { StreamAccumulator } from "./stream/accumulate.ts";
export { parsePartialJson } from "./stream/partial-json.ts";
export { throttle } from "./stream/throttle.ts";
export {
  addUsage,
  billedOutputTokens,
  cacheHitRatio,
  comparableUsage,
  costOf,
  mostCostOf,
  promptTokens,
} from "./stream/usage.ts";
export { askForTunnel, proxyHeaders } from "./transport/proxy.ts";
export { proxyFor } from "./transport/proxy-rules.ts";
export * from "./types/adapter.ts";
export * from "./types/errors.ts";
export * from "./types/events.ts";
export * from "./types/json.ts";
export * from "./types/message.ts";
export * from "./types/model.ts";
export * from "./types/request.ts";
export * from "./types/response.ts";
export type { Some } from "./types/some.ts";
