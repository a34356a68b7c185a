// Asks an issuer for a new token, and what its answer means: a new token, a refusal that only a new sign-in can end, or nothing that
// says so.

import { isJsonObject, messageOf, parseJson } from "@lathe/llm";
import type { SendForm } from "../../../config/credentials/oauth/post.ts";
import type { OAuthRow } from "../../../config/credentials/oauth/rows.ts";
import { type TokenReply, toCredential } from "../../../config/credentials/oauth/token.ts";
import type { OAuthCredential } from "../../../config/credentials/store.ts";
import { secretsOf } from "../../../config/credentials/stored-accounts.ts";
import { printableLine } from "../../../sessions/list.ts";

export type IssuerAnswer =
  | { readonly kind: "renewed"; readonly credential: OAuthCredential }
  | { readonly kind: "refused"; readonly cause: string }
  /** It may work later. */
  | { readonly kind: "failed"; readonly cause: string };

/** The refresh token is no longer good: words of RFC 6749, RFC 6750 and of vendors. */
const NO_LONGER_GOOD = /^(?:invalid_grant|invalid_token|unauthorized_client|(?:\w+_)?(?:revoked|reused|invalidated))$/;
const MOST_CAUSE = 200;
/** Shorter ones are parts of words. */
const LEAST_SECRET = 6;

export async function askIssuer(
  { provider, tokenUrl, clientId }: OAuthRow,
  previous: OAuthCredential & { readonly refresh: string },
  { send, now }: { readonly send: SendForm; readonly now: () => number },
): Promise<IssuerAnswer> {
  const form = { grant_type: "refresh_token", refresh_token: previous.refresh, client_id: clientId };
  let status: number;
  let text: string;
  try {
    ({ status, text } = await send(tokenUrl, form));
  } catch (error) {
    return { kind: "failed", cause: inWords(messageOf(error).replace(/ Try again later\.$/, ""), previous) };
  }
  const reply = parseJson(text);
  const { word, cause } = reasonIn(reply);
  const access = isJsonObject(reply) ? reply["access_token"] : undefined;
  if (word === "" && status < 300 && isJsonObject(reply) && typeof access === "string" && access !== "")
    return { kind: "renewed", credential: toCredential(tokenIn(reply), { provider, now: now(), previous }) };
  const said = inWords(cause === "" ? `the issuer answered with status ${status} and no reason` : cause, previous);
  // A page in the place of an answer comes from a proxy or the sign-in of a network.
  const isPage = /^\s*</.test(text);
  if (NO_LONGER_GOOD.test(word) || ((status === 401 || status === 403) && !isPage))
    return { kind: "refused", cause: said };
  return { kind: "failed", cause: isPage ? `status ${status} and a page in the place of an answer` : said };
}

/** `error` is a word, or an object with one. */
function reasonIn(reply: unknown): { readonly word: string; readonly cause: string } {
  if (!isJsonObject(reply as never)) return { word: "", cause: "" };
  const { error, error_description: description } = reply as Readonly<Record<string, unknown>>;
  const { code, type, message } = Object(error) as Readonly<Record<string, unknown>>;
  const word = [error, code, type].find((one) => typeof one === "string" && one !== "") ?? "";
  const more = [description, message].find((one) => typeof one === "string" && one !== "");
  return { word: String(word), cause: [word, ...(more === undefined ? [] : [more])].filter(Boolean).join(": ") };
}

/** A lifetime that is no number counts as none. */
function tokenIn(reply: Readonly<Record<string, unknown>>): TokenReply {
  const seconds = Number(reply["expires_in"] ?? Number.NaN);
  const refresh = reply["refresh_token"];
  return {
    access_token: String(reply["access_token"]),
    ...(typeof refresh === "string" && refresh !== "" ? { refresh_token: refresh } : {}),
    ...(Number.isFinite(seconds) ? { expires_in: seconds } : {}),
  };
}

/** One line, short, and without the tokens that an issuer repeats. */
function inWords(text: string, previous: OAuthCredential): string {
  let safe = text;
  for (const secret of secretsOf(previous)) if (secret.length >= LEAST_SECRET) safe = safe.replaceAll(secret, "…");
  return printableLine(safe).slice(0, MOST_CAUSE);
}
