// GET /v1/credentials/check[?strict=1]: whether the gateway's own credentials work. Only for its operator.

import type { Call } from "../../http/call.ts";
import type { Caller } from "../server/callers.ts";
import type { GatewayParts } from "../server/parts.ts";
import { GatewayRefusal } from "../server/refusal.ts";

export async function credentialsReport(
  { query }: Call,
  { key }: Caller,
  { checkCredentials: checked }: GatewayParts,
): Promise<unknown> {
  if (key !== undefined)
    throw new GatewayRefusal("forbidden", "Only the operator of the gateway may see this.", {
      code: "operator_only",
      isFinal: true,
    });
  return { credentials: await checked(query["strict"] === "1" || query["strict"] === "true") };
}
