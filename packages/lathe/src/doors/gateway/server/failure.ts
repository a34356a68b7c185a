// Failures as the gateway's clients see them. The accounts behind the gateway are hidden: a vendor that rejects the
// gateway's own credential must not look like a wrong key of the client.

import { ProviderError, RequestTimeoutError, SDKError } from "@lathe/llm";
import type { Refusal, ServedFormat } from "@lathe/llm/serve";
import { type Call, endWhenRead } from "../../http/call.ts";
import { Refused } from "../../http/refused.ts";
import { RESPONSE_HEADERS } from "../../http/response-headers.ts";
import { GatewayRefusal } from "./refusal.ts";

export function failureOf(error: unknown): SDKError | Refusal {
  if (error instanceof GatewayRefusal) return error.refusal;
  if (error instanceof Refused) return refusalOf(error);
  if (!(error instanceof SDKError))
    return { kind: "internal", message: "The gateway has failed. Tell its operator.", code: "gateway_failed" };
  switch (error.kind) {
    case "auth":
    case "credential":
      return {
        kind: "internal",
        message: `The gateway's own credential${ofProvider(error)} does not work. Its operator finds out more with: lathe auth-gateway check`,
        code: "gateway_credential",
      };
    case "config":
      return {
        kind: "internal",
        message: `The gateway's settings${ofProvider(error)} do not work. Its operator finds out more with: lathe auth-gateway check --strict`,
        code: "gateway_settings",
      };
    case "quota":
      return {
        kind: "quota",
        message: `The gateway's account${ofProvider(error)} has no credit left. Tell its operator.`,
        code: "account_quota",
      };
    case "bug":
      return { kind: "internal", message: "The gateway has failed. Tell its operator.", code: "gateway_failed" };
    default:
      return error;
  }
}

const ofProvider = (error: SDKError): string =>
  (error instanceof ProviderError || error instanceof RequestTimeoutError) && error.provider !== undefined
    ? ` for ${error.provider}`
    : "";

const KINDS: Readonly<Record<number, Refusal["kind"]>> = {
  401: "unauthenticated",
  403: "forbidden",
  404: "not_found",
  408: "timeout",
  413: "too_large",
  429: "rate_limit",
};

function refusalOf({ status, code, message, retryAfter }: Refused): Refusal {
  const kind = KINDS[status] ?? (status < 500 ? "invalid" : "internal");
  return { kind, message, code, ...(retryAfter === undefined ? {} : { retryAfter }) };
}

/** One word for the log. */
export function wordOf(error: unknown): string {
  if (error instanceof GatewayRefusal) return error.refusal.code ?? error.refusal.kind;
  if (error instanceof Refused) return error.code;
  return error instanceof SDKError ? error.kind : "failed";
}

/** Whether it is a fault of the gateway itself, such as a damaged file, for its operator to fix. */
export const isOwnFailure = (error: unknown): boolean => wordOf(error) === "failed";

const isStranger = (error: unknown): boolean =>
  error instanceof GatewayRefusal &&
  (error.refusal.kind === "unauthenticated" || error.refusal.code === "too_many_attempts");

/** Only before the first byte of an answer. */
export function sendFailure(
  { incoming, outgoing }: Pick<Call, "incoming" | "outgoing">,
  format: ServedFormat,
  error: unknown,
  requestId: string,
): void {
  const { status: nearest, headers, body } = format.error(failureOf(error), requestId);
  // Vendors have no status for a slow client; theirs for timeouts would blame the server.
  const status = error instanceof Refused && error.status === 408 ? 408 : nearest;
  const isFinal = error instanceof GatewayRefusal && error.isFinal;
  // Only clients with a key may keep connections open: others could exhaust them.
  if (isStranger(error)) outgoing.shouldKeepAlive = false;
  outgoing.writeHead(status, {
    ...RESPONSE_HEADERS,
    ...headers,
    "content-length": Buffer.byteLength(body),
    // The vendors' own clients heed this and do not retry what cannot succeed.
    ...(isFinal ? { "x-should-retry": "false" } : {}),
    // The rest of a refused body is not read.
    ...(incoming.complete ? {} : { connection: "close" }),
  });
  endWhenRead(incoming, outgoing, body);
}
