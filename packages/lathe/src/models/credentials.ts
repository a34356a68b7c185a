// The credentials of a run: one store and one order of precedence for requests, `auth status` and `models`.

import { join } from "node:path";
import { configuredKey, keyVariable, type ProviderConfig } from "@lathe/llm";
import { findRow, type ProviderRow } from "@lathe/llm/providers";
import type { AccountChoices } from "../config/credentials/accounts/choices.ts";
import { hasBroker } from "../config/credentials/broker/place.ts";
import { systemKeyring } from "../config/credentials/keyring.ts";
import { LocalAccounts } from "../config/credentials/local-source.ts";
import { poster } from "../config/credentials/oauth/post.ts";
import type { CredentialQuery, CredentialSources } from "../config/credentials/resolve.ts";
import { findSearchEngine } from "../config/credentials/search-engines.ts";
import type { CredentialSource } from "../config/credentials/source.ts";
import type { AccountStandings } from "../config/credentials/standings.ts";
import { CredentialStore } from "../config/credentials/store.ts";
import type { Workspace } from "../config/workspace/workspace.ts";

export interface RunKey {
  readonly provider: string;
  readonly key: string;
}

/** A workspace that can run the commands that print keys, each once. */
export interface SecretWorkspace extends Workspace {
  readonly secretFrom: (command: string) => Promise<string>;
  /** The user's stored accounts: one object for all sessions of this directory. */
  readonly accounts: () => CredentialSource;
  /** The session's choice among several accounts of a provider. */
  readonly accountChoices?: AccountChoices;
}

type Env = Workspace["env"];

export function credentialSources(workspace: SecretWorkspace, runKey?: RunKey): CredentialSources {
  const { deps, credentialDeps = deps } = workspace.machine;
  const { accountChoices } = workspace;
  return {
    accounts: workspace.accounts(),
    env: workspace.env,
    now: credentialDeps.now,
    onSecret: (name, value) => workspace.redactor.add(name, value),
    runCommand: (command) => workspace.secretFrom(command),
    ...(accountChoices === undefined ? {} : { chooseAccount: (several) => accountChoices.choose(several) }),
    ...(runKey === undefined ? {} : { runKey }),
  };
}

/**
 * The source of accounts for `findCredential`: the broker if the user configured one, otherwise this machine, never
 * both.
 */
export function openAccounts(workspace: Workspace): CredentialSource {
  if (!hasBroker(workspace)) return localAccounts(workspace);
  let loaded: Promise<CredentialSource> | undefined;
  const broker = (): Promise<CredentialSource> => {
    loaded ??= import("./broker-source.ts").then(({ openBroker }) => openBroker(workspace));
    return loaded;
  };
  return lazySource(broker);
}

/** A broker's accounts; its code is loaded on first use. */
function lazySource(broker: () => Promise<CredentialSource>): CredentialSource {
  return {
    place: "broker",
    address: async () => (await broker()).address?.(),
    lookAgain: async () => (await broker()).lookAgain?.(),
    providers: async () => (await broker()).providers(),
    accounts: async (provider) => (await broker()).accounts(provider),
    secret: async (account) => (await broker()).secret(account),
    refresh: async (account) => (await broker()).refresh(account),
    report: async (account, report) => (await broker()).report(account, report),
    standing: async (account, signal) => (await broker()).standing(account, signal),
    subscribe: (listener) => {
      let isOver = false;
      let end = (): void => {
        isOver = true;
      };
      broker().then(
        (source) => {
          if (!isOver) end = source.subscribe(listener);
        },
        () => undefined, // the next question reports the problem
      );
      return () => end();
    },
  };
}

function localAccounts(workspace: Workspace): CredentialSource {
  const { deps, credentialDeps = deps } = workspace.machine;
  const { fetch, now, random } = credentialDeps;
  const rows = async (provider: string) =>
    (await import("../config/credentials/oauth/rows.ts")).rowsFor(workspace.paths.home, provider);
  let standings: Promise<AccountStandings> | undefined;
  const openStandings = async (): Promise<AccountStandings> => {
    const [{ AccountStandings }, { askUsage }] = await Promise.all([
      import("../config/credentials/standings.ts"),
      import("../config/credentials/usage/ask-usage.ts"),
    ]);
    return new AccountStandings({
      file: join(workspace.paths.cache, "accounts.json"),
      now,
      random,
      askUsage: async ({ provider }, secret) => {
        const row = (await rows(provider)).find((one) => one.provider === provider);
        return row && askUsage(row, secret, { fetch, now });
      },
    });
  };
  return new LocalAccounts({
    store: credentialStore(workspace),
    oauth: { now, post: poster(fetch), rows },
    standings: () => {
      standings ??= openStandings();
      return standings;
    },
  });
}

export function credentialStore(workspace: Workspace): CredentialStore {
  return new CredentialStore(workspace.paths.auth, workspace.settings["auth.keyring"] ? systemKeyring : undefined);
}

/** Where a provider's credential may come from, according to its built-in row and its entry in models.yml. */
export function credentialQuery(provider: string, env: Env, config?: ProviderConfig): CredentialQuery {
  const row = findRow(provider);
  const envNames = row ? variablesOf(row, env) : (findSearchEngine(provider)?.keyEnv ?? []);
  const fileKey = config && configuredKey(config, env);
  const wantedEnv = config && keyVariable(config);
  return {
    provider: row?.id ?? provider,
    envNames,
    bearerEnvNames: envNames.filter((name) => /_(OAUTH_TOKEN|ACCESS_TOKEN|FOUNDRY_API_KEY)$/.test(name)),
    ...(fileKey === undefined ? {} : { fileKey }),
    ...(wantedEnv === undefined ? {} : { wantedEnv }),
    keyless: config?.auth === "none" || (row?.keyless ?? false),
  };
}

/** In Foundry mode Anthropic's models take another key first. */
function variablesOf(row: ProviderRow, env: Env): readonly string[] {
  const foundry =
    row.gateway === "anthropic" && /^(1|true|yes|on)$/i.test(env["CLAUDE_CODE_USE_FOUNDRY"]?.trim() ?? "");
  return foundry ? ["ANTHROPIC_FOUNDRY_API_KEY", ...row.keyEnv] : row.keyEnv;
}

/** Clouds find credentials by their own rules; each of these variables is a sign that there are some. */
const CLOUD_SIGNS: Readonly<Record<string, readonly string[]>> = {
  "amazon-bedrock": ["AWS_BEARER_TOKEN_BEDROCK", "AWS_ACCESS_KEY_ID", "AWS_PROFILE", "AWS_WEB_IDENTITY_TOKEN_FILE"],
  "google-vertex": ["GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_API_KEY"],
};

export function cloudsWithCredentials(env: Env): readonly string[] {
  return Object.keys(CLOUD_SIGNS).filter((cloud) => cloudSign(cloud, env) !== undefined);
}

export function cloudSign(provider: string, env: Env): string | undefined {
  const signs = Object.hasOwn(CLOUD_SIGNS, provider) ? CLOUD_SIGNS[provider] : undefined;
  return signs?.find((name) => env[name]);
}

/** Whether the provider's requests are signed with a cloud's own credential chain. */
export function hasOwnChain(provider: string): boolean {
  const row = findRow(provider);
  return row?.auth === "aws" || row?.auth === "vertex";
}
