// The package as a library: drive the agent from another program.

export type {
  CommandData,
  CommandName,
  CommandParams,
  HostToolSpec,
  RpcSessionState,
  UriSchemeSpec,
} from "./hosts/rpc/commands.ts";
export type { HostToolResult, ResponseError, UiRequest, UiResponse } from "./hosts/rpc/frames.ts";
export { type PromptOptions, RpcClient, type RpcClientOptions, RpcError } from "./hosts/rpc-client/client.ts";
export type { HostScheme, HostTool, HostToolOutput, UiAnswer, UiHandler } from "./hosts/rpc-client/host-side.ts";
export type { AgentProcessOptions } from "./hosts/rpc-client/process.ts";
export type { WireEvent, WireEventOf, WireEventType } from "./hosts/wire/events.ts";
export type { WireMessage } from "./hosts/wire/message.ts";
