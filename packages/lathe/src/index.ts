// The package as a library: sessions inside a program, or an agent in its own process. Importing it loads no product
// code yet.

export { createAgentSession, SessionManager } from "./agent-sessions.ts";
export type { GateReply, WorkflowGate } from "./conversation/gates/gate.ts";
export {
  type AnsweredGate,
  BridgeClient,
  type BridgeClientOptions,
  type BridgeHandshake,
} from "./doors/serve/bridge/bridge-client.ts";
export { LatheServerError } from "./doors/serve/requests.ts";
export type {
  AgentSession,
  AgentSessionOptions,
  DiscoveredItem,
  PlaceOptions,
  PromptOutcome,
  StoredSession,
  ThemeColours,
  ToolRow,
} from "./hosts/library/types.ts";
export type {
  CommandData,
  CommandName,
  CommandParams,
  HostToolSpec,
  ModelRow,
  RpcSessionState,
  UriSchemeSpec,
} from "./hosts/rpc/commands.ts";
export type { HostToolResult, ResponseError, UiRequest, UiResponse } from "./hosts/rpc/frames.ts";
export {
  type EventListener,
  type GateHandler,
  type PromptOptions,
  RpcClient,
  type RpcClientOptions,
  RpcError,
} from "./hosts/rpc-client/client.ts";
export type { HostScheme, HostTool, HostToolOutput, UiAnswer, UiHandler } from "./hosts/rpc-client/host-side.ts";
export type { AgentConnection, AgentProcessOptions } from "./hosts/rpc-client/process.ts";
export type { WireEvent, WireEventOf, WireEventType } from "./hosts/wire/events.ts";
export type { WireMessage } from "./hosts/wire/message.ts";
export {
  availableModels,
  builtinThemes,
  builtinTools,
  discoverFiles,
  main,
  readSettings,
  readTheme,
} from "./product-helpers.ts";
