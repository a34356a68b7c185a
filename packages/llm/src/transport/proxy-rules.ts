// Which proxy a URL goes through, from the usual environment variables.

import type { ClientDeps } from "../types/adapter.ts";
import { ConfigurationError } from "../types/errors.ts";

type Env = ClientDeps["env"];

const VARIABLES = ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"] as const;

export function hasProxySettings(env: Env): boolean {
  return VARIABLES.some((name) => read(env, name) !== undefined);
}

/** Throws if the variable that applies does not contain a proxy's address. */
export function proxyFor(url: URL, env: ClientDeps["env"]): URL | undefined {
  const usual = url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const name = read(env, usual) === undefined ? "ALL_PROXY" : usual;
  const proxy = read(env, name);
  if (proxy === undefined || isLoopback(url) || isBypassed(url, read(env, "NO_PROXY") ?? "")) return undefined;
  return parseProxy(proxy, env[name] ? name : name.toLowerCase());
}

/** Checked before anything is sent, because an unusable variable is a mistake of the setup, not of the network. */
export function checkProxy(url: string, env: Env): void {
  if (hasProxySettings(env)) proxyFor(new URL(url), env);
}

/** The text may contain a password, so no message repeats it. */
function parseProxy(text: string, variable: string): URL {
  const address = text.includes("://") ? text : `http://${text}`;
  if (!URL.canParse(address) || /^(?!localhost$)[^.:/]*$/.test(text))
    throw new ConfigurationError(
      `${variable} does not contain a URL; write http://host:port, with user:password@ before the host if needed`,
    );
  const url = new URL(address);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new ConfigurationError(
      `${variable}: the proxy ${url.protocol}//${url.host} is neither http nor https; only those work`,
    );
  return url;
}

/** A proxy would look for the server on its own machine. */
const isLoopback = ({ hostname }: URL): boolean =>
  /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i.test(hostname);

/** Entries: `*`, a host, a domain (with or without leading dot or `*.`), each with an optional port. */
function isBypassed(url: URL, rules: string): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, "").toLowerCase();
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  return rules
    .split(/[\s,]+/)
    .filter(Boolean)
    .some((rule) => {
      if (rule === "*") return true;
      // A bare IPv6 address is full of colons, so a port needs brackets around the address.
      const match = /^\[(.+)\](?::(\d+))?$|^(?:\*?\.)?([^:]+)(?::(\d+))?$|^(.+)$/.exec(rule.toLowerCase());
      const [, bracketed, bracketedPort, name, namePort, bare] = match ?? [];
      const rulePort = bracketedPort ?? namePort;
      if (rulePort !== undefined && rulePort !== port) return false;
      const wanted = bracketed ?? name ?? bare;
      return host === wanted || host.endsWith(`.${wanted}`);
    });
}

function read(env: Env, name: string): string | undefined {
  return env[name] || env[name.toLowerCase()] || undefined;
}
