// GET /v1/usage: operators see every key and what is left of the accounts; clients see their own key.

import type { Call } from "../../http/call.ts";
import type { ClientKey } from "../keys/key-file.ts";
import { periodEnd } from "../keys/terms.ts";
import type { Caller } from "../server/callers.ts";
import type { GatewayParts } from "../server/parts.ts";

export async function usageReport(_call: Call, caller: Caller, parts: GatewayParts): Promise<unknown> {
  const { keys, books, standings } = parts;
  if (caller.key !== undefined) return { keys: [row(caller.key, parts)] };
  return {
    keys: keys.list().map((key) => row(key, parts)),
    operator: books.spent({ id: caller.id }),
    accounts: await standings(),
  };
}

function row(key: ClientKey, { books, keys, now }: GatewayParts): unknown {
  const { hash: _hash, budget, ...shown } = key;
  const resets = budget && periodEnd(budget.period, now());
  return {
    ...shown,
    state: keys.stateOf(key),
    ...books.spent(key),
    ...(budget === undefined ? {} : { budget, left: books.left(key, budget) }),
    ...(resets === undefined ? {} : { resets: new Date(resets).toISOString() }),
  };
}
