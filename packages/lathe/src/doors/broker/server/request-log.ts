// One line for each request and each renewal. Never a token, a key or any text of a client: an address is written as its route, an id
// only when it is one of ours.

export interface LoggedRequest {
  readonly at: number;
  readonly method: string;
  readonly route: string;
  /** Of a credential that the broker has. */
  readonly id: string | undefined;
  readonly status: number;
  /** Why it was refused: a word of our own. */
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
