// Where a request goes. Taken out of the parsed URL in one step: each property of it that is asked for takes node a while
// the first time, and all of them are needed before the first request.

import { ConfigurationError } from "../../types/errors.ts";

export interface Address {
  readonly secure: boolean;
  /** Without user or path, and without the port where it is the usual one. */
  readonly origin: string;
  /** As in the `host` header: without the port where it is the usual one. */
  readonly host: string;
  /** Without the brackets of an IPv6 address. */
  readonly name: string;
  readonly port: number;
  /** With the query. */
  readonly path: string;
}

/** Of a URL that was parsed: every part is in its place and written in one way. */
const PARTS = /^http(s?):\/\/(?:[^/@]*@)?((\[[^\]]*\]|[^/:]*)(?::(\d+))?)([^#]*)/;

export function addressOf(text: string): Address {
  const url = new URL(text);
  const [, s, host = "", name = "", port, path = "/"] = PARTS.exec(url.href) ?? [];
  if (s === undefined)
    throw new ConfigurationError(`The address ${url.origin} is neither http nor https; only those work.`);
  return {
    secure: s === "s",
    origin: `http${s}://${host}`,
    host,
    name: name.startsWith("[") ? name.slice(1, -1) : name,
    port: Number(port ?? (s === "s" ? 443 : 80)),
    path,
  };
}
