// Errors of sessions as refusals of the server: status, code, message.

import { messageOf } from "@lathe/llm";
import { Refusal } from "../../../hosts/rpc/handler.ts";
import { RpcError } from "../../../hosts/rpc-client/client.ts";
import { Refused } from "../../http/refused.ts";

const STATUS: Readonly<Record<string, number>> = {
  already_resolved: 409,
  idempotency_conflict: 409,
  unknown_gate: 404,
  closed: 409,
  invalid_answer: 400,
  not_available: 501,
  not_on_branch: 404,
  unknown_artifact: 404,
  unknown_entry: 404,
  wrong_scope: 403,
};

export function refusalOf(error: unknown): Refused {
  if (error instanceof Refusal || error instanceof RpcError) {
    const { code = "refused", message } = error;
    return new Refused(STATUS[code] ?? 422, code, message);
  }
  return new Refused(502, "session_failed", messageOf(error));
}
