// One log line per request and per renewal. It never contains a token, a key or text from a client: addresses are
// logged as routes, and ids only if the broker knows them.

export interface LoggedRequest {
  readonly at: number;
  readonly method: string;
  readonly route: string;
  /** The id of a credential of this broker. */
  readonly id: string | undefined;
  readonly status: number;
  /** Why the request was refused, as one of our codes. */
  readonly why: string | undefined;
  readonly ms: number;
}

export function requestLine({ at, method, route, id, status, why, ms }: LoggedRequest): string {
  const fields = [
    new Date(at).toISOString(),
    method,
    route,
    `id=${id ?? "-"}`,
    `status=${status}`,
    ...(why === undefined ? [] : [`why=${why}`]),
    `ms=${Math.round(ms)}`,
  ];
  return `${fields.join(" ")}\n`;
}

export interface LoggedRenewal {
  readonly at: number;
  readonly id: string;
  readonly outcome: "renewed" | "disabled" | "issuer_failed" | "vault_failed";
}

export const renewalLine = ({ at, id, outcome }: LoggedRenewal): string =>
  `${new Date(at).toISOString()} renewal id=${id} outcome=${outcome}\n`;
