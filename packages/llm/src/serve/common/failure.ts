// Describes a failure for a client: which of our kinds it is, and what may be revealed about it. A client's key can be
// valid when the server's own is not, so failures of the server's credentials and settings are reported as failures of
// the server.

import { NotFoundError, ProviderError, RequestTimeoutError, SDKError } from "../../types/errors.ts";
import type { Refusal, RefusalKind, ServedError } from "../types.ts";

/** A failure as a client may see it. */
export interface Failure {
  readonly kind: RefusalKind | "upstream" | "overflow" | "filtered";
  readonly message: string;
  readonly field?: string | undefined;
  readonly code?: string | undefined;
  readonly retryAfter?: number | undefined;
  /** Whether the same request may succeed later. */
  readonly isRetryable: boolean;
}

const RETRYABLE: ReadonlySet<Failure["kind"]> = new Set(["rate_limit", "overloaded", "timeout", "upstream"]);

export function failureOf(failure: SDKError | Refusal): Failure {
  if (failure instanceof SDKError) return errorFailure(failure);
  return { ...failure, isRetryable: RETRYABLE.has(failure.kind) };
}

function errorFailure(error: SDKError): Failure {
  const provider = error instanceof ProviderError ? error.provider : undefined;
  const at = provider === undefined ? "the provider" : provider;
  const retryAfter = error instanceof ProviderError ? error.retryAfter : undefined;
  const base = { message: error.message, retryAfter, isRetryable: error.retryable };
  switch (error.kind) {
    case "rate_limit":
      return { ...base, kind: "rate_limit" };
    case "overloaded":
      return { ...base, kind: isOverload(error) ? "overloaded" : "upstream" };
    case "auth":
    case "credential":
      return serverFault("upstream", `The server's credential for ${at} was not accepted. Tell its operator.`);
    case "config":
      return serverFault("internal", `The server is not set up to reach ${at}. Tell its operator.`);
    case "quota":
      return { ...base, kind: "quota", isRetryable: false };
    case "overflow":
      return { ...base, kind: "overflow" };
    case "refused":
      return { ...base, kind: "filtered" };
    case "invalid":
      return { ...base, kind: error instanceof NotFoundError ? "not_found" : "invalid" };
    case "network":
      return { ...base, kind: "upstream", message: `The connection to ${at} failed: ${error.message}` };
    case "timeout":
      return { ...base, kind: "timeout", isRetryable: error instanceof RequestTimeoutError && error.retryable };
    case "cancelled":
      return serverFault("internal", "The request was cancelled.");
    case "bug":
      return serverFault("internal", "The server failed. Its log says why.");
  }
}

const serverFault = (kind: "upstream" | "internal", message: string): Failure => ({
  kind,
  message,
  isRetryable: false,
});

const isOverload = (error: SDKError): boolean =>
  !(error instanceof ProviderError) || ![500, 502, 504].includes(error.statusCode ?? 503);

/** An error response with the headers that tell official clients whether to retry. */
export function servedError(status: number, failure: Failure, body: unknown): ServedError {
  const { retryAfter, isRetryable } = failure;
  const seconds =
    retryAfter !== undefined && Number.isFinite(retryAfter) ? Math.max(0, Math.ceil(retryAfter)) : undefined;
  return {
    status,
    headers: {
      "content-type": "application/json",
      ...(seconds === undefined ? {} : { "retry-after": String(seconds) }),
      "x-should-retry": String(isRetryable),
    },
    body: JSON.stringify(body),
  };
}

/** The id of a request, if it is safe in a header. */
export const safeRequestId = (id: string | undefined): string | undefined =>
  id !== undefined && /^[\w.:-]{1,128}$/.test(id) ? id : undefined;
