// What goes over the socket of a local door, one JSON object per line both ways. Whoever can open the socket is the same user, so a
// client says itself who it is and what it may do.

import { once } from "node:events";
import type { Socket } from "node:net";
import type { CommandName } from "../../hosts/rpc/commands.ts";
import { linesOf } from "../../hosts/wire/lines.ts";
import type { ClientRow, DialogAnswer, DoorFrame, Scope } from "../door/door.ts";
import type { DoorFacts } from "../door/door-mirror.ts";

/** From a client; the first one is `hello`. */
export type ToDoor =
  | ({ readonly type: "hello"; readonly scopes: readonly Scope[] } & ClientRow)
  | { readonly type: "follow"; readonly after?: number }
  | { readonly type: "command"; readonly id: number; readonly name: CommandName; readonly params: object }
  | { readonly type: "answer"; readonly id: number; readonly questionId: string; readonly answer: DialogAnswer };

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
