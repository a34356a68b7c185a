// Failures in the format of Anthropic's API.

import type { SDKError } from "../../types/errors.ts";
import type { JsonObject } from "../../types/json.ts";
import { type Failure, failureOf, safeRequestId, servedError } from "../common/failure.ts";
import type { Refusal, ServedError } from "../types.ts";

const ROWS: Readonly<Record<Failure["kind"], { readonly status: number; readonly type: string }>> = {
  invalid: { status: 400, type: "invalid_request_error" },
  overflow: { status: 400, type: "invalid_request_error" },
  filtered: { status: 400, type: "invalid_request_error" },
  unauthenticated: { status: 401, type: "authentication_error" },
  quota: { status: 402, type: "billing_error" },
  forbidden: { status: 403, type: "permission_error" },
  not_found: { status: 404, type: "not_found_error" },
  too_large: { status: 413, type: "request_too_large" },
  rate_limit: { status: 429, type: "rate_limit_error" },
  internal: { status: 500, type: "api_error" },
  upstream: { status: 502, type: "api_error" },
  timeout: { status: 504, type: "timeout_error" },
  overloaded: { status: 529, type: "overloaded_error" },
};

export function messagesErrorBody(failure: Failure): JsonObject {
  return { type: "error", error: { type: ROWS[failure.kind].type, message: failure.message } };
}

export function messagesError(failure: SDKError | Refusal, requestId?: string): ServedError {
  const known = failureOf(failure);
  const id = safeRequestId(requestId);
  const body = { ...messagesErrorBody(known), ...(id === undefined ? {} : { request_id: id }) };
  const served = servedError(ROWS[known.kind].status, known, body);
  return id === undefined ? served : { ...served, headers: { ...served.headers, "request-id": id } };
}
