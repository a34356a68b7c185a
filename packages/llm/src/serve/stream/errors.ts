// Failures for our own clients, with one of our own kinds.

import type { SDKError } from "../../types/errors.ts";
import { type Failure, failureOf, safeRequestId, servedError } from "../common/failure.ts";
import type { Refusal, ServedError } from "../types.ts";

const STATUSES: Readonly<Record<Failure["kind"], number>> = {
  invalid: 400,
  overflow: 400,
  filtered: 400,
  unauthenticated: 401,
  quota: 402,
  forbidden: 403,
  not_found: 404,
  too_large: 413,
  rate_limit: 429,
  internal: 500,
  upstream: 502,
  overloaded: 503,
  timeout: 504,
};

export function streamErrorBody({ kind, message, field, code, retryAfter, isRetryable }: Failure): { error: object } {
  return { error: { kind, message, field, code, retryAfter, retryable: isRetryable } };
}

export function streamError(failure: SDKError | Refusal, requestId?: string): ServedError {
  const known = failureOf(failure);
  const served = servedError(STATUSES[known.kind], known, streamErrorBody(known));
  const id = safeRequestId(requestId);
  return id === undefined ? served : { ...served, headers: { ...served.headers, "x-request-id": id } };
}
