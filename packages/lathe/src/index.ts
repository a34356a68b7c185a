// The package as a library: drive the agent from another program.

export type { CommandData, CommandName, CommandParams, RpcSessionState } from "./modes/rpc/commands.ts";
export type { UiRequest } from "./modes/rpc/frames.ts";
export type { WireEvent, WireEventOf, WireEventType } from "./modes/wire/events.ts";
export type { WireMessage } from "./modes/wire/message.ts";
export { type PromptOptions, RpcClient, type RpcClientOptions, RpcError } from "./rpc-client/client.ts";
export type { HostScheme, HostTool, HostToolOutput, UiAnswer, UiHandler } from "./rpc-client/host-side.ts";
