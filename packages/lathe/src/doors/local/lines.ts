// What goes over the socket of a local door, one JSON object per line both ways. Whoever can open the socket is the same user, so a
// client says itself who it is and what it may do.

import { once } from "node:events";
import type { Socket } from "node:net";
import type { CommandName } from "../../hosts/rpc/commands.ts";
import { linesOf } from "../../hosts/wire/lines.ts";
import type { ClientRow, DialogAnswer, DoorClient, DoorFrame, Scope } from "../door/door.ts";
import type { DoorFacts } from "../door/door-mirror.ts";

/** A client as it describes itself. */
export interface Caller extends ClientRow {
  readonly scopes: readonly Scope[];
}

/** From a client; the first one is `hello`. A server that has joined for its own clients names the one that each request is from. */
export type ToDoor =
  | ({ readonly type: "hello" } & Caller)
  | { readonly type: "follow"; readonly after?: number }
  | ({ readonly type: "command"; readonly name: CommandName; readonly params: object } & Request)
  | ({ readonly type: "answer"; readonly questionId: string; readonly answer: DialogAnswer } & Request)
  /** For a client that cannot join, such as an editor: the session is closed here, so that the client's own process can open it. */
  | ({ readonly type: "release" } & Request);

interface Request {
  readonly id: number;
  readonly from: Caller;
}

export const callerOf = ({ name, kind, scopes }: DoorClient): Caller => ({ name, kind, scopes: [...scopes] });
export const clientOf = ({ name, kind, scopes }: Caller): DoorClient => ({ name, kind, scopes: new Set(scopes) });

/** To a client; the first one is `welcome`. */
export type FromDoor =
  | ({ readonly type: "welcome" } & DoorFacts)
  | { readonly type: "frame"; readonly frame: DoorFrame }
  | { readonly type: "reply"; readonly id: number; readonly data?: unknown }
  | {
      readonly type: "reply";
      readonly id: number;
      readonly error: { readonly code?: string; readonly message: string };
    };

/** Undefined when the other side keeps up or has gone; else settles when it has caught up. */
export function sendLine(socket: Socket, line: ToDoor | FromDoor): Promise<unknown> | undefined {
  if (socket.destroyed || socket.write(`${JSON.stringify(line)}\n`)) return undefined;
  return Promise.race([once(socket, "drain"), once(socket, "close")]).catch(() => undefined);
}

/** Ends with the connection. What is no line of ours ends it as well. */
export async function* readLines<T>(socket: Socket): AsyncGenerator<T> {
  for await (const line of linesOf(socket)) {
    if ("tooLong" in line) return;
    let value: T;
    try {
      value = JSON.parse(line.text) as T;
    } catch {
      return; // cut off in the middle
    }
    yield value;
  }
}
