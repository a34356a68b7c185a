// What a command's handler works with, and refusals that programs can distinguish.

import type { CommandData, CommandName, CommandParams } from "./commands.ts";
import type { ResponseError } from "./frames.ts";
import type { HostTools } from "./host-tools.ts";
import type { HostUris } from "./host-uris.ts";
import type { ModelList } from "./models.ts";
import type { RpcSession } from "./session.ts";

/** A host that may declare its session unattended. */
export interface UnattendedHost {
  negotiate(declared: unknown): Promise<CommandData<"negotiate_unattended">>;
  /** Undefined: the command may run. */
  refusal(command: CommandName): Exclude<ResponseError, string> | undefined;
}

export interface HandlerContext {
  readonly current: RpcSession;
  readonly models: ModelList;
  readonly hostTools: HostTools;
  readonly hostUris: HostUris;
  /** Undefined: this host cannot declare a session unattended. */
  readonly unattended?: UnattendedHost;
}

/**
 * A handler calls `recorded` when the host's message is in the journal; that is the reply of commands whose work is
 * reported by events.
 */
type Handler<K extends CommandName> = (
  params: CommandParams<K>,
  context: HandlerContext,
  recorded: () => void,
) => CommandData<K> | Promise<CommandData<K>>;

export type Handlers<K extends CommandName> = { readonly [Name in K]: Handler<Name> };

/** A refusal with a code, sent as an object. */
export class Refusal extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.name = "Refusal";
    this.code = code;
  }
}

export const notAvailable = (what: string): Refusal => new Refusal("not_available", `${what} is not available.`);
