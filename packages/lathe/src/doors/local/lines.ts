// The protocol on the socket of a local door: one JSON object per line in both directions. Only the same user can open
// the socket, so clients are trusted to state their name and scopes.

import { once } from "node:events";
import type { Socket } from "node:net";
import { isJsonObject, parseJson } from "@lathe/llm";
import { anyObject, Checker, choice, exactly, integer, listOf, object, oneOf, optional, text } from "@lathe/llm/schema";
import type { CommandName } from "../../hosts/rpc/commands.ts";
import { linesOf } from "../../hosts/wire/lines.ts";
import type { ClientRow, DialogAnswer, DoorClient, DoorFrame, Scope } from "../door/door.ts";
import type { DoorFacts } from "../door/door-mirror.ts";

/** A client as it describes itself. */
export interface Caller extends ClientRow {
  readonly scopes: readonly Scope[];
}

/**
 * Lines from a client; the first is `hello`. A server that has joined for its own clients names the client of each
 * request.
 */
export type ToDoor =
  | ({ readonly type: "hello" } & Caller)
  | { readonly type: "follow"; readonly after?: number }
  | ({ readonly type: "command"; readonly name: CommandName; readonly params: object } & Request)
  | ({ readonly type: "answer"; readonly questionId: string; readonly answer: DialogAnswer } & Request)
  /**
   * For a client that cannot join, such as an editor: closes the session here, so that the client's own process can
   * open it.
   */
  | ({ readonly type: "release" } & Request)
  /** For the team that the session leads or belongs to. */
  | ({ readonly type: "team"; readonly wish: object } & Request);

interface Request {
  readonly id: number;
  readonly from: Caller;
}

export const callerOf = ({ name, kind, scopes }: DoorClient): Caller => ({ name, kind, scopes: [...scopes] });
export const clientOf = ({ name, kind, scopes }: Caller): DoorClient => ({ name, kind, scopes: new Set(scopes) });

/** Lines to a client; the first is `welcome`. */
export type FromDoor =
  | ({ readonly type: "welcome" } & DoorFacts)
  | { readonly type: "frame"; readonly frame: DoorFrame }
  | { readonly type: "reply"; readonly id: number; readonly data?: unknown }
  | {
      readonly type: "reply";
      readonly id: number;
      readonly error: { readonly code?: string; readonly message: string };
    };

/** Undefined if the other side keeps up or has gone; otherwise resolves when it has caught up. */
export function sendLine(socket: Socket, line: ToDoor | FromDoor): Promise<unknown> | undefined {
  if (socket.destroyed || socket.write(`${JSON.stringify(line)}\n`)) return undefined;
  return Promise.race([once(socket, "drain"), once(socket, "close")]).catch(() => undefined);
}

const caller = {
  name: text(),
  kind: choice(["terminal", "browser", "editor", "program"]),
  scopes: listOf(choice(["read", "prompt", "approve", "admin"])),
};
const request = { id: integer(), from: object(caller) };
const TO_DOOR = new Checker(
  oneOf(
    object({ type: exactly("hello"), ...caller }),
    object({ type: exactly("follow"), after: optional(integer()) }),
    object({ type: exactly("command"), name: text(), params: anyObject(), ...request }),
    object({ type: exactly("answer"), questionId: text(), answer: anyObject(), ...request }),
    object({ type: exactly("release"), ...request }),
    object({ type: exactly("team"), wish: anyObject(), ...request }),
  ),
  { acceptsUnknown: true },
);

/** The valid lines of a client; an invalid one ends them. */
export async function* readRequests(socket: Socket): AsyncGenerator<ToDoor> {
  for await (const line of readLines<ToDoor>(socket)) {
    if (TO_DOOR.wrongIn(line) !== undefined) return;
    yield line;
  }
}

/** Ends with the connection, or at a line that is not a JSON object or too long. */
export async function* readLines<T extends object>(socket: Socket): AsyncGenerator<T> {
  for await (const line of linesOf(socket)) {
    const value = "tooLong" in line ? undefined : parseJson(line.text);
    if (!isJsonObject(value)) return;
    yield value as T;
  }
}
