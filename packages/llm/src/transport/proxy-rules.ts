// Which proxy a URL goes through, from the usual environment variables.

import type { ClientDeps } from "../types/adapter.ts";

type Env = ClientDeps["env"];

export function hasProxySettings(env: Env): boolean {
  return ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"].some((name) => read(env, name) !== undefined);
}

export function proxyFor(url: URL, env: Env): string | undefined {
  const proxy = read(env, url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY") ?? read(env, "ALL_PROXY");
  return proxy === undefined || bypassed(url, read(env, "NO_PROXY") ?? "") ? undefined : proxy;
}

/** Entries: `*`, a host, a domain (with or without leading dot or `*.`), each with an optional port. */
function bypassed(url: URL, rules: string): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, "").toLowerCase();
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  return rules
    .split(/[\s,]+/)
    .filter(Boolean)
    .some((rule) => {
      if (rule === "*") return true;
      // A bare IPv6 address is all colons: a port needs brackets before it there.
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
