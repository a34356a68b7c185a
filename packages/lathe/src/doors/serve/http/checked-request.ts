// A request that has passed the guard: who asks, for which route, with which parameters. All this is checked before a
// handler runs.

import type { JsonObject } from "@lathe/llm";
import { Checker, type Fields, object, schemaOf } from "@lathe/llm/schema";
import type { Scope } from "../../door/door.ts";
import type { Call } from "../../http/call.ts";
import { Refused } from "../../http/refused.ts";
import type { Route } from "../api.ts";
import type { Visitor } from "../guard/sign-in.ts";

export interface CheckedRequest {
  readonly call: Call;
  /** Undefined for routes that need no sign-in. */
  readonly visitor: Visitor | undefined;
  readonly query: Readonly<Record<string, unknown>>;
}

/** The client, for routes that require sign-in. */
export function visitorOf({ visitor }: CheckedRequest): Visitor {
  if (visitor === undefined) throw new Error("A route that needs a visitor has no scope.");
  return visitor;
}

export function checkScope({ client }: Visitor, needed: Scope): void {
  if (client.scopes.has(needed)) return;
  const has = [...client.scopes].join(", ");
  throw new Refused(
    403,
    "wrong_scope",
    `This needs the scope ${needed}; yours: ${has}. Make a token with: lathe serve token add <name> --scope ${needed}`,
  );
}

/** A token may be limited to one session: then it grants access to nothing else. */
export function checkSession({ token }: Visitor, { path }: Route, sessionId: string | undefined): void {
  if (token.session === undefined || path === "/v1/me" || path === "/v1/sign-out" || path === "/v1/sessions") return;
  if (sessionId !== token.session) throw otherSession();
}

/** For requests that would reach other sessions. */
export function refuseLimited({ token }: Visitor): void {
  if (token.session !== undefined) throw otherSession();
}

const otherSession = (): Refused => new Refused(403, "other_session", "This token is for one session only.");

/** Query parameters, converted to numbers if the definition says so. */
export function queryOf(call: Call, fields: Fields | undefined): Readonly<Record<string, unknown>> {
  if (fields === undefined) return {};
  const given = Object.entries(call.query).map(([name, value]): [string, unknown] => {
    const field = fields[name];
    const isNumber = field !== undefined && schemaOf(field)["type"] === "integer" && /^\d+$/.test(value);
    return [name, isNumber ? Number(value) : value];
  });
  return checkFields(Object.fromEntries(given), fields);
}

/** Returns the value, or throws if it does not fit. */
export function checkFields<T extends object>(value: T, fields: Fields): T {
  const wrong = new Checker(object(fields), { acceptsUnknown: true }).wrongIn(value);
  if (wrong !== undefined) throw new Refused(400, "wrong_parameter", `${wrong}.`);
  return value;
}

export const checkBody = <T>(body: JsonObject, fields: Fields): T => checkFields(body, fields) as T;
