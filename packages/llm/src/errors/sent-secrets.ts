// Finds the secrets of a request, so that no error shows them.

import type { TransportRequest } from "../types/adapter.ts";

/** Everything that auth added to the request: header values, their bearer part, and query values. */
export function secretsOf(before: TransportRequest, after: TransportRequest): readonly string[] {
  const secrets: string[] = [];
  for (const [name, value] of Object.entries(after.headers)) {
    if (before.headers[name] === value) continue;
    secrets.push(value, value.replace(/^\S+ /, ""));
  }
  if (after.url !== before.url)
    for (const [name, value] of new URL(after.url).searchParams)
      if (new URL(before.url).searchParams.get(name) !== value) secrets.push(value, encodeURIComponent(value));
  return secrets.filter((secret) => secret.length >= 4);
}
