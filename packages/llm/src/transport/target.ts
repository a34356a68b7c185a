// Where a connection goes to, and which name it asks for there.

import type { RequestOptions } from "node:http";

export interface Target extends RequestOptions {
  /** The name that the certificate must have; empty for addresses, which TLS cannot ask for. */
  readonly servername?: string;
}

/** `name`: if the request is for another host name, the certificate must be for that name too. */
export function targetOf(url: URL, name = url.hostname): Target {
  const isSecure = url.protocol === "https:";
  const bareName = withoutBrackets(name);
  const isAddress = process.getBuiltinModule("node:net").isIP(bareName) !== 0;
  return {
    protocol: url.protocol,
    host: withoutBrackets(url.hostname),
    port: url.port || (isSecure ? 443 : 80),
    path: url.pathname + url.search,
    ...(isSecure ? { servername: isAddress ? "" : bareName } : {}),
  };
}

/** An IPv6 address in the form that the system wants. */
function withoutBrackets(host: string): string {
  return host.replace(/^\[|\]$/g, "");
}
