// The package as a library: drive the agent from another program.

export type {
  CommandData,
  CommandName,
  CommandParams,
  HostToolSpec,
  RpcSessionState,
  UriSchemeSpec,
} from "./modes/rpc/commands.ts";
export type { HostToolResult, ResponseError, UiRequest, UiResponse } from "./modes/rpc/frames.ts";
export type { WireEvent, WireEventOf, WireEventType } from "./modes/wire/events.ts";
export type { WireMessage } from "./modes/wire/message.ts";
export { type PromptOptions, RpcClient, type RpcClientOptions, RpcError } from "./rpc-client/client.ts";
export type { HostScheme, HostTool, HostToolOutput, UiAnswer, UiHandler } from "./rpc-client/host-side.ts";
export type { AgentProcessOptions } from "./rpc-client/process.ts";
