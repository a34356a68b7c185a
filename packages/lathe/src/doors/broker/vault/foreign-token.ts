// Reads token files of other programs, one account per file: which provider they are for, and the parts we can use.

import { isJsonObject, type JsonObject, parseJson } from "@lathe/llm";
import type { OAuthCredential } from "../../../config/credentials/store.ts";
import { clampMoment } from "../../../platform/usage/moments.ts";
import { printableLine } from "../../../sessions/list.ts";

/** Provider by the `type` of the file. */
const PROVIDERS: Readonly<Record<string, string>> = {
  claude: "anthropic",
  codex: "openai-codex",
  gemini: "google-gemini-cli",
  "gemini-cli": "google-gemini-cli",
  antigravity: "google-antigravity",
};
const FOREIGN_TYPES = Object.keys(PROVIDERS);

export interface ForeignToken {
  readonly provider: string;
  /** The account's name: the user's email address, if the file has one. */
  readonly name: string | undefined;
  readonly isDisabled: boolean;
  readonly credential: OAuthCredential;
}

/** Returns a text that says why the file is unusable; it repeats nothing from the file but its type. */
export function readForeignToken(text: string, provider?: string): ForeignToken | string {
  const file = parseJson(text);
  if (file === undefined) return "it is not valid JSON";
  if (!isJsonObject(file)) return "it is not a JSON object";
  const type = textIn(file, "type") ?? "";
  const known = Object.hasOwn(PROVIDERS, type) ? PROVIDERS[type] : undefined;
  const meant = provider ?? known;
  if (meant === undefined)
    return `its type is ${type === "" ? "missing" : `"${printableLine(type).slice(0, 30)}"`}, not one of ${FOREIGN_TYPES.join(", ")}; name the provider with --provider`;
  // Some programs keep the token in a nested object.
  const token = isJsonObject(file["token"]) ? file["token"] : file;
  const access = textIn(token, "access_token");
  if (access === undefined) return "it has no access_token";
  const refresh = textIn(token, "refresh_token");
  if (![access, refresh ?? ""].every((secret) => /^[\x21-\x7e]*$/.test(secret)))
    return "its tokens have spaces or line breaks";
  const expires = endOf(token) ?? endOf(file);
  const email = textIn(file, "email") ?? textIn(token, "email");
  return {
    provider: meant,
    name: email === undefined ? undefined : accountNameOf(email),
    isDisabled: file["disabled"] === true,
    credential: {
      type: "oauth",
      access,
      ...(refresh === undefined ? {} : { refresh }),
      ...(expires === undefined ? {} : { expires }),
      ...(email === undefined ? {} : { account: printableLine(email).slice(0, 100) }),
    },
  };
}

/** Replaces characters that a name may not contain by `-`. */
export const accountNameOf = (text: string): string | undefined =>
  text.replace(/[^\w.@+-]+/g, "-").slice(0, 64) || undefined;

function textIn(of: JsonObject, key: string): string | undefined {
  const value = of[key];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Reads a date, or seconds or milliseconds since 1970. */
function endOf(of: JsonObject): number | undefined {
  for (const key of ["expired", "expires_at", "expiry", "expiry_date"]) {
    const value = of[key];
    if (typeof value === "number" && Number.isFinite(value)) return clampMoment(value < 1e11 ? value * 1000 : value);
    const date = typeof value === "string" ? Date.parse(value) : Number.NaN;
    if (!Number.isNaN(date)) return date;
  }
  return undefined;
}
