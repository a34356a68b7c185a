// Issuers the user can sign in to. A row is data: the flows know no provider. Companies add their own in
// `$LATHE_HOME/oauth.yml`.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject } from "@lathe/llm";
import { CliError, EXIT } from "../../../platform/usage/exit.ts";
import type { UsageFields } from "../usage/usage-fields.ts";

export interface OAuthRow {
  readonly provider: string;
  readonly label: string;
  readonly clientId: string;
  readonly tokenUrl: string;
  readonly scopes: readonly string[];
  /** Authorisation code with PKCE and a loopback redirect. */
  readonly authorizeUrl?: string;
  /** The issuer may insist on a port; 0 means any. */
  readonly redirectPort?: number;
  /** Device authorisation (RFC 8628). */
  readonly deviceUrl?: string;
  /**
   * The issuer has no registered clients: it gives the user's key to the program that can prove it made the request.
   */
  readonly gives?: "key";
  /** Extra parameters of the authorisation request. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** The page where the vendor says how much of an account is used up, and the fields of its response that say it. */
  readonly usageUrl?: string;
  readonly usage?: readonly UsageFields[];
}

/** Only what a vendor offers to other people's programs: we never borrow another product's client id. */
const BUILT_IN: readonly OAuthRow[] = [
  {
    provider: "openrouter",
    label: "OpenRouter",
    clientId: "",
    authorizeUrl: "https://openrouter.ai/auth",
    tokenUrl: "https://openrouter.ai/api/v1/auth/keys",
    scopes: [],
    gives: "key",
    usageUrl: "https://openrouter.ai/api/v1/key",
    usage: [{ name: "credit", used: "data.usage", limit: "data.limit" }],
  },
];

/** The issuers, and the entries of the user's file that cannot be used, by provider. */
export interface Issuers {
  /** The user's own first. */
  readonly rows: readonly OAuthRow[];
  readonly wrong: ReadonlyMap<string, CliError>;
}

/** Throws if the file cannot be read as a whole. */
export async function readIssuers(home: string): Promise<Issuers> {
  const file = join(home, "oauth.yml");
  const wrong = new Map<string, CliError>();
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return { rows: BUILT_IN, wrong };
    throw error;
  }
  const { isProblem, readYaml } = await import("../../../platform/home/yaml.ts");
  const read = readYaml(text);
  if (isProblem(read)) throw wrongFile(`${file}:${read.line}`, read.message);
  const { value } = read;
  if (value === null) return { rows: BUILT_IN, wrong };
  if (!isJsonObject(value)) throw wrongFile(file, "must map provider names to issuers");
  const own: OAuthRow[] = [];
  for (const [provider, entry] of Object.entries(value)) {
    const problem = problemWith(provider, entry);
    if (problem === undefined)
      own.push({ label: provider, scopes: [], ...(entry as object), provider } as unknown as OAuthRow);
    else wrong.set(provider, wrongFile(file, problem));
  }
  // A wrong entry is not silently replaced by the built-in one for the same provider.
  return { rows: [...own, ...BUILT_IN.filter(({ provider }) => !wrong.has(provider))], wrong };
}

/** All rows; throws if one is wrong. A broker must not take credentials for those that it cannot renew. */
export async function oauthRows(home: string): Promise<readonly OAuthRow[]> {
  const { rows, wrong } = await readIssuers(home);
  for (const problem of wrong.values()) throw problem;
  return rows;
}

/** The rows for work with one provider; throws if that one is wrong. */
export async function rowsFor(home: string, provider: string): Promise<readonly OAuthRow[]> {
  const { rows, wrong } = await readIssuers(home);
  const problem = wrong.get(provider);
  if (problem) throw problem;
  return rows;
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string" && value !== "";
const USAGE_FIELDS = ["percent", "used", "remaining", "limit", "resetsAt"];
const KEYS: Readonly<Record<string, { readonly fits: Check; readonly what: string }>> = {
  label: { fits: isText, what: "a text" },
  clientId: { fits: isText, what: "a text" },
  tokenUrl: { fits: isSafeUrl, what: "an https address" },
  deviceUrl: { fits: isSafeUrl, what: "an https address" },
  authorizeUrl: { fits: isSafeUrl, what: "an https address" },
  scopes: { fits: (value) => Array.isArray(value) && value.every(isText), what: "a list of words" },
  redirectPort: { fits: (value) => Number.isInteger(value) && Number(value) >= 0, what: "a port" },
  usageUrl: { fits: isSafeUrl, what: "an https address" },
  usage: { fits: isUsageFields, what: `a list of limits with a name and the fields ${USAGE_FIELDS.join(", ")}` },
  parameters: { fits: (value) => isJsonObject(value) && Object.values(value).every(isText), what: "names and texts" },
};

/** Says what is wrong with an entry; undefined if it can be used. */
function problemWith(provider: string, entry: unknown): string | undefined {
  if (!isJsonObject(entry)) return `${provider} must be a mapping`;
  for (const [key, value] of Object.entries(entry)) {
    const known = Object.hasOwn(KEYS, key) ? KEYS[key] : undefined;
    if (!known) return `${provider}.${key} is unknown; known are ${Object.keys(KEYS).join(", ")}`;
    if (!known.fits(value)) return `${provider}.${key} must be ${known.what}`;
  }
  for (const key of ["clientId", "tokenUrl"]) {
    if (entry[key] === undefined) return `${provider}.${key} is missing`;
  }
  if (entry["deviceUrl"] === undefined && entry["authorizeUrl"] === undefined)
    return `${provider} needs deviceUrl or authorizeUrl`;
  return undefined;
}

function isUsageFields(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every(
      (of) =>
        isJsonObject(of) &&
        isText(of["name"]) &&
        Object.entries(of).every(([key, path]) => isText(path) && (key === "name" || USAGE_FIELDS.includes(key))),
    )
  );
}

/** Codes and tokens travel to these addresses, so the connection must be encrypted or stay on this machine. */
function isSafeUrl(value: unknown): boolean {
  if (typeof value !== "string" || !URL.canParse(value)) return false;
  const { protocol, hostname } = new URL(value);
  return protocol === "https:" || (protocol === "http:" && ["127.0.0.1", "[::1]", "localhost"].includes(hostname));
}

function wrongFile(place: string, what: string): CliError {
  return new CliError(EXIT.usage, `${place}: ${what}. Fix the file.`);
}
