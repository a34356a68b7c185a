// What the vendors' error answers and credentials have in common.

import type { StatusFaultOptions } from "../faults.ts";
import type { RecordedRequest } from "../record.ts";

export function errorHeaders(options: StatusFaultOptions): Record<string, string> {
  const { retryAfter, retryAfterMs } = options;
  return {
    ...(retryAfter === undefined
      ? {}
      : { "retry-after": retryAfter instanceof Date ? retryAfter.toUTCString() : String(retryAfter) }),
    ...(retryAfterMs === undefined ? {} : { "retry-after-ms": String(retryAfterMs) }),
    ...options.headers,
  };
}

export function bearer(request: RecordedRequest): string | undefined {
  const header = request.headers.authorization;
  return header?.startsWith("Bearer ") && header.length > 7 ? header.slice(7) : undefined;
}

export function header(request: RecordedRequest, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Generic messages in the vendors' wording, if the script gives none for a status. */
export function defaultMessage(status: number): string {
  const known: Readonly<Record<number, string>> = {
    400: "The request is invalid.",
    401: "The API key is missing or not valid.",
    403: "This key may not use the requested resource.",
    404: "The requested model was not found.",
    408: "The request timed out.",
    413: "The request is too large.",
    429: "Rate limit reached. Please slow down.",
    500: "Internal server error.",
    502: "Bad gateway.",
    503: "The service is temporarily unavailable.",
    529: "Overloaded",
  };
  return known[status] ?? `HTTP status ${status}`;
}
