// Anthropic directly or behind a company's gateway: the host, credential, extra headers and certificates that the
// environment sets (AD-32).

import type { ClientDeps, TlsMaterial } from "../../types/adapter.ts";
import { ConfigurationError } from "../../types/errors.ts";

type Env = ClientDeps["env"];

const anthropicBaseUrl = "https://api.anthropic.com";

interface AnthropicCredential {
  readonly kind: "key" | "bearer" | "none";
  readonly value?: string;
}

function isFoundry(env: Env): boolean {
  return /^(1|true|yes|on)$/i.test(env["CLAUDE_CODE_USE_FOUNDRY"]?.trim() ?? "");
}

export function anthropicBaseUrlOf(env: Env): string {
  if (!isFoundry(env)) return env["ANTHROPIC_BASE_URL"] || anthropicBaseUrl;
  const base = env["FOUNDRY_BASE_URL"];
  if (!base) throw new ConfigurationError("CLAUDE_CODE_USE_FOUNDRY is set; set FOUNDRY_BASE_URL as well");
  return base;
}

/** The first that is set: Foundry key (Foundry mode only, as bearer), OAuth token (bearer), API key. */
export function anthropicCredentialOf(env: Env): AnthropicCredential | undefined {
  const foundry = isFoundry(env) ? env["ANTHROPIC_FOUNDRY_API_KEY"] : undefined;
  // The second variable is the one that Claude Code sends to a gateway.
  const bearer = foundry || env["ANTHROPIC_OAUTH_TOKEN"] || env["ANTHROPIC_AUTH_TOKEN"];
  if (bearer) return { kind: "bearer", value: bearer };
  const key = env["ANTHROPIC_API_KEY"];
  return key ? { kind: "key", value: key } : undefined;
}

/** `k: v` pairs, but only if they cannot reach the vendor itself. */
export function anthropicCustomHeaders(env: Env): Record<string, string> {
  const text = env["ANTHROPIC_CUSTOM_HEADERS"];
  if (!text || !(isFoundry(env) || isForeign(env["ANTHROPIC_BASE_URL"]))) return {};
  const headers: Record<string, string> = {};
  for (const pair of text.split(/[,\n]/)) {
    const colon = pair.indexOf(":");
    const name = pair.slice(0, Math.max(colon, 0)).trim().toLowerCase();
    if (name !== "") headers[name] = pair.slice(colon + 1).trim();
  }
  return headers;
}

function isForeign(baseUrl: string | undefined): boolean {
  if (!baseUrl || !URL.canParse(baseUrl)) return false;
  return new URL(baseUrl).hostname !== new URL(anthropicBaseUrl).hostname;
}

/** Each value is a path or inline PEM with `\n` escapes. Certificate and key must come as a pair. */
export async function anthropicTls(deps: Pick<ClientDeps, "env" | "readFile">): Promise<TlsMaterial | undefined> {
  const ca = await pem("NODE_EXTRA_CA_CERTS", deps);
  const cert = await pem("CLAUDE_CODE_CLIENT_CERT", deps);
  const key = await pem("CLAUDE_CODE_CLIENT_KEY", deps);
  if ((cert === undefined) !== (key === undefined)) {
    const missing = cert === undefined ? "CLAUDE_CODE_CLIENT_CERT" : "CLAUDE_CODE_CLIENT_KEY";
    throw new ConfigurationError(`a client certificate and its key belong together; set ${missing} too`);
  }
  if (ca === undefined && cert === undefined) return undefined;
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
  };
}

async function pem(name: string, deps: Pick<ClientDeps, "env" | "readFile">): Promise<string | undefined> {
  const value = deps.env[name]?.trim();
  if (!value) return undefined;
  if (value.includes("-----BEGIN")) return value.replaceAll("\\n", "\n");
  try {
    return new TextDecoder().decode(await deps.readFile(value));
  } catch (cause) {
    throw new ConfigurationError(`${name} names ${value}, which cannot be read; give a PEM file or its text`, {
      cause,
    });
  }
}
