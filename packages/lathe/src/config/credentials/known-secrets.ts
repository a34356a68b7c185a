// The secrets that Lathe knows, so that it can keep them out of journals, events, recordings and pages: variables that
// look like secrets, stored credentials, and keys in models.yml. Credentials are added when they are used.

import { existsSync } from "node:fs";
import { basename } from "node:path";
import { Redactor, type Secret } from "@lathe/agent/policy";
import { isSecretName, isSecretValue, mayHoldKeys } from "@lathe/agent/world";
import type { RegistryConfig } from "@lathe/llm";
import { providerRows } from "@lathe/llm/providers";
import { readIfReadable } from "../../platform/home/small-file.ts";
import { writtenToken } from "./broker/token-setting.ts";
import { SEARCH_ENGINES, type SearchEngineRow } from "./search-engines.ts";
import { CredentialStore } from "./store.ts";

export interface SecretPlaces {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly authFile: string;
  /** Files that hold one token each. */
  readonly tokenFiles: readonly string[];
  /** The setting `auth.broker.token`. */
  readonly brokerToken: string;
}

export function redactorFor({ env, authFile, tokenFiles, brokerToken }: SecretPlaces): Redactor {
  const written = writtenToken(brokerToken);
  return new Redactor(
    () => [
      ...inVariables(env),
      ...storedSecrets(authFile),
      ...inTokenFiles(tokenFiles),
      ...(written === undefined ? [] : [{ name: "auth.broker.token", value: written }]),
    ],
    (name) => providerHosts(name, env),
  );
}

/** The hosts of a provider or search engine, given its name or the variable that holds its key. */
function providerHosts(name: string, env: SecretPlaces["env"]): string[] {
  const rows = providerRows.filter(
    ({ id, aliases, keyEnv }) => id === name || aliases?.includes(name) || keyEnv.includes(name),
  );
  const engines = (SEARCH_ENGINES as readonly SearchEngineRow[]).filter(
    ({ id, keyEnv = [], searchKeyEnv = [] }) => id === name || keyEnv.includes(name) || searchKeyEnv.includes(name),
  );
  const addresses = [...rows, ...engines].flatMap(({ baseUrl, baseUrlEnv = [] }) => [
    baseUrl,
    ...baseUrlEnv.map((of) => env[of]),
  ]);
  return addresses.flatMap((address = "") => (URL.canParse(address) ? [new URL(address).host] : []));
}

function inVariables(env: SecretPlaces["env"]): Secret[] {
  const secrets: Secret[] = [];
  const mayHoldKey = mayHoldKeys(env);
  for (const [name, value] of Object.entries(env)) {
    if (!value || !(isSecretName(name) || isSecretValue(value, mayHoldKey))) continue;
    // The path of a key file is not secret; it appears in every listing of its folder.
    if (value.startsWith("/") && existsSync(value)) continue;
    secrets.push({ name, value });
  }
  return secrets;
}

/** Skips the secrets in the keyring: reading those may prompt the user. */
function storedSecrets(authFile: string): Secret[] {
  try {
    return new CredentialStore(authFile).fileSecrets();
  } catch {
    return []; // whoever needs a credential reports the damaged file
  }
}

function inTokenFiles(files: readonly string[]): Secret[] {
  return files.flatMap((file) => {
    const value = readIfReadable(file)?.trim();
    return value ? [{ name: basename(file), value }] : [];
  });
}

/** Adds the keys and headers written in a models file. */
export function learnModelsFile(redactor: Redactor, { providers = {} }: RegistryConfig): void {
  for (const [provider, config] of Object.entries(providers)) {
    const { apiKey, baseUrl = "", headers, models = [], modelOverrides = {} } = config;
    const host = URL.canParse(baseUrl) ? new URL(baseUrl).host : undefined;
    if (apiKey !== undefined && !apiKey.startsWith("!")) redactor.add(provider, apiKey, host);
    const ofModels = [...models, ...Object.values(modelOverrides)].map((model) => model.headers);
    for (const [header, value] of [headers, ...ofModels].flatMap((all) => Object.entries(all ?? {}))) {
      if (isSecretName(header.replaceAll("-", "_")) || /^authorization$/i.test(header))
        redactor.add(provider, value.replace(/^(?:Bearer|Basic|Token) /i, ""), host);
    }
  }
}
