// Where a connection goes to, and what is asked for there.

import type { RequestOptions } from "node:http";

export function targetOf(url: URL): RequestOptions {
  return {
    protocol: url.protocol,
    host: withoutBrackets(url.hostname),
    port: url.port || (url.protocol === "https:" ? 443 : 80),
    path: url.pathname + url.search,
  };
}

/** An IPv6 address as the system wants it. */
export function withoutBrackets(host: string): string {
  return host.replace(/^\[|\]$/g, "");
}
