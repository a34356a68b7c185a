// The last step of every flow: posts a form to the token endpoint and makes a credential from the response.

import { CliError, EXIT } from "../../../platform/usage/exit.ts";
import { clampMoment } from "../../../platform/usage/moments.ts";
import type { ApiKeyCredential, OAuthCredential } from "../store.ts";

export interface TokenReply {
  readonly access_token?: string;
  readonly refresh_token?: string;
  readonly expires_in?: number;
  readonly error?: string;
  readonly error_description?: string;
}

/** Posts names and values; returns the JSON response whatever its status. */
export type Post = (
  url: string,
  form: Readonly<Record<string, string>>,
  encoding?: "form" | "json",
) => Promise<TokenReply & Readonly<Record<string, unknown>>>;

export function toCredential(
  reply: TokenReply,
  { provider, now, previous }: { readonly provider: string; readonly now: number; readonly previous?: OAuthCredential },
): OAuthCredential {
  if (!reply.access_token) {
    const reason = reply.error_description ?? reply.error ?? "the issuer sent no token";
    const what = previous ? `The sign-in for ${provider} could not be renewed` : "Signing in failed";
    throw new CliError(EXIT.provider, `${what}: ${reason}. Run: lathe login ${provider}`);
  }
  // A lifetime that is not a number counts as absent.
  const lasts = Number(reply.expires_in ?? Number.NaN);
  const refresh = reply.refresh_token ?? previous?.refresh;
  return {
    type: "oauth",
    access: reply.access_token,
    ...(refresh === undefined ? {} : { refresh }),
    ...(Number.isFinite(lasts) ? { expires: clampMoment(now + lasts * 1000) } : {}),
    ...(previous?.account === undefined ? {} : { account: previous.account }),
  };
}

export function toKey(reply: Readonly<Record<string, unknown>>, provider: string): ApiKeyCredential {
  const { key } = reply;
  if (typeof key === "string" && key !== "") return { type: "api_key", key };
  throw new CliError(EXIT.provider, `Signing in failed: the issuer sent no key. Run: lathe login ${provider}`);
}
