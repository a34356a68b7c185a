// Adds a provider's credential to a request, in the header that its vendor reads.

import type { AuthStyle } from "../catalog/provider-rows.ts";
import type { TransportRequest } from "../types/adapter.ts";
import { CredentialError } from "../types/errors.ts";
import type { Auth } from "../types/protocol.ts";
import type { Credential } from "./credentials.ts";

export interface HeaderAuthOptions {
  readonly provider: string;
  readonly style: Exclude<AuthStyle, "aws" | "vertex">;
  readonly credential: () => Promise<Credential | undefined>;
  readonly keyless: boolean;
  /** Puts the key into this query parameter, where logs may keep it. */
  readonly queryName?: string;
  /** The hint for a user without a key. */
  readonly hint: string;
}

export function headerAuth({ provider, style, credential, keyless, queryName, hint }: HeaderAuthOptions): Auth {
  return async (request) => {
    if (style === "none") return request;
    const found = await credential();
    if (found?.kind === "none") return request;
    if (!found?.value) {
      if (keyless) return request;
      throw new CredentialError(`No API key for provider "${provider}": ${hint}`);
    }
    const bearer = found.kind === "bearer" || style === "bearer";
    if (queryName !== undefined && !bearer) {
      const url = new URL(request.url);
      url.searchParams.set(queryName, found.value);
      return { ...request, url: url.href };
    }
    if (!bearer) return withHeader(request, style, found.value);
    return withHeader(
      style === "x-api-key" ? withOauthBeta(request) : request,
      "authorization",
      `Bearer ${found.value}`,
    );
  };
}

/** Anthropic itself accepts tokens only with this header; a gateway may not know it. */
function withOauthBeta(request: TransportRequest): TransportRequest {
  if (new URL(request.url).hostname !== "api.anthropic.com") return request;
  const betas = request.headers["anthropic-beta"];
  return withHeader(request, "anthropic-beta", betas === undefined ? OAUTH_BETA : `${betas},${OAUTH_BETA}`);
}

const OAUTH_BETA = "oauth-2025-04-20";

export function withHeader(request: TransportRequest, name: string, value: string): TransportRequest {
  return { ...request, headers: { ...request.headers, [name]: value } };
}
