// Failures in the format of OpenAI's APIs.

import type { SDKError } from "../../types/errors.ts";
import type { JsonObject } from "../../types/json.ts";
import type { Refusal, ServedError } from "../types.ts";
import { type Failure, failureOf, safeRequestId, servedError } from "./failure.ts";

interface Row {
  readonly status: number;
  readonly type: string;
  readonly code: string | null;
}

const ROWS: Readonly<Record<Failure["kind"], Row>> = {
  invalid: { status: 400, type: "invalid_request_error", code: null },
  overflow: { status: 400, type: "invalid_request_error", code: "context_length_exceeded" },
  filtered: { status: 400, type: "invalid_request_error", code: "content_filter" },
  unauthenticated: { status: 401, type: "invalid_request_error", code: "invalid_api_key" },
  forbidden: { status: 403, type: "invalid_request_error", code: "permission_denied" },
  not_found: { status: 404, type: "invalid_request_error", code: "model_not_found" },
  too_large: { status: 413, type: "invalid_request_error", code: "request_too_large" },
  quota: { status: 429, type: "insufficient_quota", code: "insufficient_quota" },
  rate_limit: { status: 429, type: "requests", code: "rate_limit_exceeded" },
  overloaded: { status: 503, type: "server_error", code: "server_is_overloaded" },
  timeout: { status: 504, type: "timeout", code: null },
  upstream: { status: 502, type: "server_error", code: "server_error" },
  internal: { status: 500, type: "server_error", code: "server_error" },
};

/** The error object in a body or a stream. */
export function openaiErrorBody(failure: Failure): JsonObject {
  const { type, code } = ROWS[failure.kind];
  return { message: failure.message, type, param: failure.field ?? null, code: failure.code ?? code };
}

export function openaiError(failure: SDKError | Refusal, requestId?: string): ServedError {
  const known = failureOf(failure);
  const served = servedError(ROWS[known.kind].status, known, { error: openaiErrorBody(known) });
  const id = safeRequestId(requestId);
  return id === undefined ? served : { ...served, headers: { ...served.headers, "x-request-id": id } };
}
