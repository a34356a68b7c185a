// Failures without an HTTP answer: turns system error codes into one sentence that says what to do.

import { NetworkError } from "../types/errors.ts";

const SENTENCES: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing is listening there; is the server running and the address right?",
  ECONNRESET: "the connection was reset by the other side.",
  EPIPE: "the other side closed the connection.",
  ENOTFOUND: "the host name cannot be resolved; check the address and the network.",
  EAI_AGAIN: "the host name cannot be resolved at the moment.",
  ETIMEDOUT: "the connection timed out.",
  EHOSTUNREACH: "no route to the host.",
  ENETUNREACH: "the network is unreachable.",
  DEPTH_ZERO_SELF_SIGNED_CERT: "the certificate is self-signed; pass its authority as extra CA.",
  SELF_SIGNED_CERT_IN_CHAIN: "the certificate chain is not trusted; pass its authority as extra CA.",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the certificate chain is not trusted; pass its authority as extra CA.",
  CERT_HAS_EXPIRED: "the certificate has expired.",
  ERR_TLS_CERT_ALTNAME_INVALID: "the certificate is for another host.",
  EPROTO: "the server there does not speak TLS as expected; check whether the address is http.",
  HPE_INVALID_CONSTANT: "the answer is not HTTP; check the address, its port and whether it is https.",
  HPE_HEADER_OVERFLOW: "the response headers are larger than 256 KB.",
};

export function networkError(origin: string, cause: unknown): NetworkError {
  const code = errorCodeOf(cause);
  const reason = SENTENCES[code ?? ""] ?? (cause instanceof Error ? messageOf(cause) : "the connection failed.");
  const named =
    code === undefined ? reason : `${reason.replace(/\.$/, "")} (${code})${reason.endsWith(".") ? "." : ""}`;
  return new NetworkError(`${origin}: ${named}`, { cause });
}

/** Rewords a message of Node's HTTP parser as one about the answer. */
function messageOf({ message }: Error): string {
  return message.replace(/^Parse Error: (.*?)\.?$/, "the answer is broken: $1.");
}

/** undici puts the system error into `cause`; happy-eyeballs failures arrive as AggregateError. */
function errorCodeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown };
  if (typeof code === "string") return code;
  if (Array.isArray(errors) && errors.length > 0) return errorCodeOf(errors[0]);
  return errorCodeOf(cause);
}
