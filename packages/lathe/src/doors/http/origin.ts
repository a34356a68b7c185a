// Checks the Host and the Origin of a request, so that pages of other sites cannot use the server. A name pointed at
// this machine (DNS rebinding) is a foreign Host; a page of another server, even on another port, is a foreign Origin.

import type { X509Certificate } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { Refused } from "./refused.ts";

/** The names under which the server may be addressed. */
export interface OwnNames {
  readonly scheme: "http" | "https";
  /** The address it listens on. */
  readonly host: string;
  readonly certificate?: X509Certificate | undefined;
}

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "::1", "localhost"]);
const EVERY_ADDRESS: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

export const isLoopback = (host: string): boolean => LOOPBACK.has(host);

/** Query parameters that may carry a token by mistake: addresses end up in histories and logs. */
const SECRETS_IN_QUERY = /[?&](?:[\w-]*(?:key|secret|token)|auth(?:orization)?|bearer|code)=/i;

/** Throws if the request is not meant for this server, or a page of another site sent it. */
export function checkOrigin({ headers, headersDistinct, url = "" }: IncomingMessage, own: OwnNames): void {
  if (!url.startsWith("/")) throw new Refused(400, "bad_address", "Ask for a path, such as /v1/health.");
  if (SECRETS_IN_QUERY.test(url))
    throw new Refused(400, "secret_in_address", "Send tokens in the Authorization header, never in an address.");
  // With two Host headers, a proxy may have checked the other one.
  const [host = "", ...more] = headersDistinct["host"] ?? [];
  if (more.length > 0 || !isOwnName(nameIn(host), own))
    throw new Refused(403, "foreign_host", "This server does not have that name. Use the address that it has printed.");
  if (!isOwnPage(headers, `${own.scheme}://${host}`))
    throw new Refused(403, "foreign_origin", "Pages of other servers may not use this one.");
}

/** The host without port and brackets; empty if it is not a valid host. */
function nameIn(host: string): string {
  if (host === "" || /[/?#@\\\s]/.test(host)) return "";
  try {
    return new URL(`http://${host}`).hostname.replace(/^\[|\]$/g, "");
  } catch {
    return ""; // not a valid host
  }
}

function isOwnName(name: string, { host, certificate }: OwnNames): boolean {
  if (name === "") return false;
  if (isLoopback(name)) return isLoopback(host) || EVERY_ADDRESS.has(host);
  if (name === host && !EVERY_ADDRESS.has(host)) return true;
  const known = isIP(name) === 0 ? certificate?.checkHost(name) : certificate?.checkIP(name);
  return known !== undefined;
}

/** Browsers tell which page sent a request: by `Origin` if it changes something, by `Sec-Fetch-Site` otherwise. */
function isOwnPage(headers: IncomingHttpHeaders, own: string): boolean {
  const { origin, "sec-fetch-site": site, "sec-fetch-mode": mode, "sec-fetch-dest": destination } = headers;
  if (origin !== undefined) return origin === own;
  if (site === undefined || site === "same-origin" || site === "none") return true;
  // A link followed from another site may open the page; it carries no cookie (SameSite=Strict).
  return mode === "navigate" && destination === "document";
}
