// A door to a session in a process of its own, so that a hung or killed session affects no other. The process is the
// command in RPC mode.

import type { ClientDeps } from "@lathe/llm";
import { RpcClient } from "../../hosts/rpc-client/client.ts";
import type { AgentProcessOptions } from "../../hosts/rpc-client/process.ts";
import { type CommandListener, SharedDoor } from "./shared-door.ts";

export interface ChildDoorOptions extends AgentProcessOptions {
  readonly deps: Pick<ClientDeps, "now" | "setTimer">;
  readonly onCommand?: CommandListener | undefined;
}

/**
 * Starts `lathe --mode rpc` and resolves with the door when it is ready; `args` choose the session, such as `--resume
 * <id>`. If the process cannot start, rejects with what it printed. If it dies later, the last frame is `closed` with a
 * problem: then open another door to the session and send it `continue`.
 */
export async function openChildDoor({ deps, env, onCommand, ...options }: ChildDoorOptions): Promise<SharedDoor> {
  // A child that joined the session in another process would look like its owner.
  const client = new RpcClient({ ...options, env: { ...env, LATHE_RPC_DIALOG_TIMEOUT: "0", LATHE_RPC_JOINS: "0" } });
  try {
    return await SharedDoor.open(client, { deps, onCommand }, () => client.start());
  } catch (error) {
    await client.stop();
    throw error;
  }
}
