// A door to a conversation of this process: clients of the door and the user at the host see the same session and get
// the same questions.

import type { ClientDeps } from "@lathe/llm";
import type { Conversation } from "../../conversation/conversation.ts";
import type { SharedPerson } from "../../conversation/shared-person.ts";
import { HostTools } from "../../hosts/rpc/host-tools.ts";
import { HostUris } from "../../hosts/rpc/host-uris.ts";
import { ModelList } from "../../hosts/rpc/models.ts";
import { HostPerson } from "../../hosts/rpc/person.ts";
import { RpcServer } from "../../hosts/rpc/server.ts";
import { RpcSession } from "../../hosts/rpc/session.ts";
import { RpcClient } from "../../hosts/rpc-client/client.ts";
import type { AgentConnection } from "../../hosts/rpc-client/process.ts";
import { SharedDoor } from "./shared-door.ts";

export interface ConversationDoorOptions {
  readonly conversation: Conversation;
  /** Answers the questions of the conversation; the door adds its clients to it. */
  readonly person: SharedPerson;
  readonly deps: Pick<ClientDeps, "now" | "setTimer">;
  /** True if the conversation's host cannot switch to another session. */
  readonly stays?: boolean;
}

/** Closing the door does not end the conversation. */
export async function openConversationDoor(options: ConversationDoorOptions): Promise<SharedDoor> {
  const client = new RpcClient({ connect: (onFrame) => connectTo(options, onFrame) });
  const door = await SharedDoor.open(client, { deps: options.deps, stays: options.stays }, () => client.start());
  // A new session may emit no event for a long time, so the door learns of it here.
  const stop = options.conversation.watch({ onSession: ({ session }) => door.present(session.id) });
  door.watch(({ kind }) => {
    if (kind === "closed") stop();
  });
  return door;
}

/** RPC mode without a process: frames are passed on as objects. */
function connectTo(
  { conversation, person }: ConversationDoorOptions,
  onFrame: (frame: Record<string, unknown>) => void,
): AgentConnection {
  let ids = 0;
  const newId = (): string => `c${++ids}`;
  const write = (frame: object): void => onFrame(frame as Record<string, unknown>);
  const writer = { write, ready: undefined };
  const clients = new HostPerson({ newId, send: write, timeoutMs: 0 });
  const hostTools = new HostTools(newId, write);
  const hostUris = new HostUris(newId, write);
  const { current, stop: stopTelling } = RpcSession.around(conversation, { writer, hostUris });
  const models = new ModelList(() => conversation.workspace, undefined);
  const server = new RpcServer({ current, models, hostTools, hostUris }, clients, writer);
  const withdraw = person.add({ name: "a client", person: clients });
  let end = (_reason: Error): void => {};
  const ended = new Promise<Error>((resolve) => {
    end = resolve;
  });
  queueMicrotask(() => write({ type: "ready" }));
  return {
    pid: undefined,
    ended,
    send: (frame) => server.line({ text: JSON.stringify(frame) }),
    stop: async () => {
      withdraw();
      clients.hostGone();
      stopTelling();
      end(new Error("The door was closed."));
      return null;
    },
  };
}
