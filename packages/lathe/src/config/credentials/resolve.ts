// Which credential a provider gets: --api-key, stored key, stored OAuth (refreshed), environment, the models file; if
// the credentials are a broker's, the models file comes before them. One function, so that requests, `auth status` and
// `models` can never disagree.

import { type AccountInfo, type CredentialSource, signInCommand } from "./source.ts";
import { DEFAULT_ACCOUNT } from "./stored-accounts.ts";

export interface ResolvedCredential {
  readonly kind: "key" | "bearer" | "none";
  readonly value?: string;
  /** Where the credential came from, as shown to the user; never the secret. */
  readonly source: string;
  /** The stored account it belongs to. */
  readonly account?: AccountInfo;
}

/** A credential that was found. Reading its secret may refresh a token or run the user's command. */
export interface FoundCredential {
  readonly kind: ResolvedCredential["kind"];
  readonly source: string;
  /** The stored account it belongs to. */
  readonly account?: AccountInfo;
  readonly secret: () => Promise<string> | string;
}

export interface CredentialQuery {
  readonly provider: string;
  /** The provider's variables; the first one that is set wins. */
  readonly envNames: readonly string[];
  /** Those of the variables that hold a bearer token. */
  readonly bearerEnvNames?: readonly string[];
  /** `apiKey` of the models file: the name of a variable, `!command`, or the key itself. */
  readonly fileKey?: string;
  /** A variable that the models file names, whether set or not. */
  readonly wantedEnv?: string;
  readonly keyless?: boolean;
}

export interface CredentialSources {
  /** --api-key, for the provider of the chosen model only. */
  readonly runKey?: { readonly provider: string; readonly key: string };
  /** The credentials the user stored, here or at a broker. */
  readonly accounts: CredentialSource;
  /** Chooses one of several accounts of a provider; the default is the first usable one. */
  readonly chooseAccount?: (several: readonly AccountInfo[]) => Promise<AccountInfo>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
  /** Called with each secret that is used, under the name of its variable or provider. */
  readonly onSecret?: (name: string, value: string) => void;
  /** Runs a command that the user wrote in place of a key, and returns its output. */
  readonly runCommand?: (command: string) => Promise<string>;
}

export async function resolveCredential(
  query: CredentialQuery,
  sources: CredentialSources,
): Promise<ResolvedCredential | undefined> {
  const found = await findCredential(query, sources);
  if (!found) return undefined;
  const { kind, source, account } = found;
  if (kind === "none") return { kind, source };
  const value = await found.secret();
  sources.onSecret?.(source.startsWith("$") ? source.slice(1) : query.provider, value);
  return { kind, source, value, ...(account === undefined ? {} : { account }) };
}

export async function findCredential(
  query: CredentialQuery,
  sources: CredentialSources,
): Promise<FoundCredential | undefined> {
  const { provider, fileKey } = query;
  const { runKey, env } = sources;
  if (runKey?.provider === provider) return { kind: "key", source: "--api-key", secret: () => runKey.key };
  // A key that the user wrote down on this machine takes precedence over what a team shares.
  if (fileKey && sources.accounts.place === "broker") return fromFile(fileKey, sources);
  const account = await storedAccount(provider, sources);
  if (account)
    return {
      kind: account.type === "api_key" ? "key" : "bearer",
      source: describeAccount(account, sources.now()),
      account,
      secret: async () => (await sources.accounts.secret(account)).value,
    };
  for (const name of query.envNames) {
    // Surrounding blanks come from files and copying; no key contains any.
    const value = env[name]?.trim();
    const kind = query.bearerEnvNames?.includes(name) ? "bearer" : "key";
    if (value) return { kind, source: `$${name}`, secret: () => value };
  }
  if (fileKey) return fromFile(fileKey, sources);
  return query.keyless ? { kind: "none", source: "no key needed", secret: () => "" } : undefined;
}

async function storedAccount(
  provider: string,
  { accounts, chooseAccount = async (several) => firstUsable(several) }: CredentialSources,
): Promise<AccountInfo | undefined> {
  const [first, ...more] = await accounts.accounts(provider);
  return first && more.length > 0 ? chooseAccount([first, ...more]) : first;
}

/** Keys come before sign-ins, as in `findCredential`. */
function firstUsable(accounts: readonly AccountInfo[]): AccountInfo {
  const usable = accounts.filter(({ disabled }) => disabled === undefined);
  return usable.find(({ type }) => type === "api_key") ?? usable[0] ?? accounts[0]!;
}

/** Text for the user: `stored key "work"`, `signed in as somebody@example.com`, `broker's key "work"`. */
export function describeAccount(
  { provider, name, type, identity, disabled, isAtBroker, ...account }: AccountInfo,
  now: number,
): string {
  const named = name === DEFAULT_ACCOUNT ? "" : ` "${name}"`;
  const signedIn = identity === undefined ? `signed in${named}` : `signed in${named} as ${identity}`;
  const key = isAtBroker ? `broker's key${named}` : `stored key${named}`;
  const what = type === "api_key" ? key : isAtBroker ? `${signedIn} at the broker` : signedIn;
  const again = (): string =>
    `run: ${signInCommand(isAtBroker ? "broker" : "machine")} ${provider}${named === "" ? "" : ` --account ${name}`}`;
  if (disabled !== undefined) return `${what}, disabled: ${disabled.cause}; ${again()}`;
  const isOver = !account.isRenewable && account.expires !== undefined && account.expires <= now;
  return isOver ? `${what}, expired; ${again()}` : what;
}

function fromFile(fileKey: string, { env, runCommand }: CredentialSources): FoundCredential {
  const named = env[fileKey]?.trim();
  if (named) return { kind: "key", source: `$${fileKey}`, secret: () => named };
  if (fileKey.startsWith("!") && runCommand)
    return { kind: "key", source: "a command of models.yml", secret: () => runCommand(fileKey.slice(1)) };
  return { kind: "key", source: "models.yml", secret: () => fileKey };
}
