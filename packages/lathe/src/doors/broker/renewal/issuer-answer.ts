// Asks an issuer for a new token and classifies the answer: a new token, a refusal that only a new sign-in can fix, or
// a failure that may pass.

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
  /** A later attempt may work. */
  | { readonly kind: "failed"; readonly cause: string };

/** Error codes of RFC 6749, RFC 6750 and vendors for a refresh token that is no longer valid. */
const NO_LONGER_GOOD = /^(?:invalid_grant|invalid_token|unauthorized_client|(?:\w+_)?(?:revoked|reused|invalidated))$/;
const MOST_CAUSE = 200;
/** Shorter secrets would match parts of ordinary words. */
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
    return { kind: "failed", cause: safeCause(messageOf(error).replace(/ Try again later\.$/, ""), previous) };
  }
  const reply = parseJson(text);
  const { word, cause } = reasonIn(reply);
  const access = isJsonObject(reply) ? reply["access_token"] : undefined;
  if (word === "" && status < 300 && isJsonObject(reply) && typeof access === "string" && access !== "")
    return { kind: "renewed", credential: toCredential(tokenIn(reply), { provider, now: now(), previous }) };
  const said = safeCause(cause === "" ? `the issuer answered with status ${status} and no reason` : cause, previous);
  // A page instead of JSON comes from a proxy or a network's sign-in page.
  const isPage = /^\s*</.test(text);
  if (NO_LONGER_GOOD.test(word) || ((status === 401 || status === 403) && !isPage))
    return { kind: "refused", cause: said };
  return { kind: "failed", cause: isPage ? `status ${status} and a page in the place of an answer` : said };
}

/** `error` is a code, or an object that contains one. */
function reasonIn(reply: unknown): { readonly word: string; readonly cause: string } {
  if (!isJsonObject(reply as never)) return { word: "", cause: "" };
  const { error, error_description: description } = reply as Readonly<Record<string, unknown>>;
  const { code, type, message } = Object(error) as Readonly<Record<string, unknown>>;
  const word = [error, code, type].find((one) => typeof one === "string" && one !== "") ?? "";
  const more = [description, message].find((one) => typeof one === "string" && one !== "");
  return { word: String(word), cause: [word, ...(more === undefined ? [] : [more])].filter(Boolean).join(": ") };
}

/** A lifetime that is not a number is ignored. */
function tokenIn(reply: Readonly<Record<string, unknown>>): TokenReply {
  const seconds = Number(reply["expires_in"] ?? Number.NaN);
  const refresh = reply["refresh_token"];
  return {
    access_token: String(reply["access_token"]),
    ...(typeof refresh === "string" && refresh !== "" ? { refresh_token: refresh } : {}),
    ...(Number.isFinite(seconds) ? { expires_in: seconds } : {}),
  };
}

/** One short line, without the tokens that some issuers repeat. */
function safeCause(text: string, previous: OAuthCredential): string {
  let safe = text;
  for (const secret of secretsOf(previous)) if (secret.length >= LEAST_SECRET) safe = safe.replaceAll(secret, "…");
  return printableLine(safe).slice(0, MOST_CAUSE);
}
