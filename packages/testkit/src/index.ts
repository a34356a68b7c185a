// Public surface of the testkit: the scripted model server and the builders of its scripts.

export { commonPrefix, type PrefixStep } from "./cache.ts";
export type { CutPoint, Fault, StatusFaultOptions, StreamErrorKind } from "./faults.ts";
export type { ListedModel, Listings, TokenAnswer } from "./listings.ts";
export { renderComplete, renderStream } from "./prerender.ts";
export type { RecordedRequest } from "./record.ts";
export type { DialectName } from "./routes.ts";
export * from "./server.ts";
export {
  type Block,
  type CallSpec,
  call,
  type Gate,
  gate,
  type ModelTurn,
  type RawTurn,
  redactedThinking,
  type ScriptedUsage,
  type Turn,
  type TurnOptions,
  text,
  thinking,
  turn,
} from "./turn.ts";
export type { RequestView, ViewedCall, ViewedMessage, ViewedResult } from "./view.ts";
export type { StreamPart } from "./wire.ts";
