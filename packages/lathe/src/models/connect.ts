// From a selector the user typed to a model that can be called: it resolves the selector, finds the credential and
// creates the adapter.

import type { ClientDeps, ProviderAdapter } from "@lathe/llm";
import { openProvider } from "@lathe/llm/open";
import { findRow, type ProviderOptions } from "@lathe/llm/providers";
import { type CredentialQuery, type ResolvedCredential, resolveCredential } from "../config/credentials/resolve.ts";
import { type CredentialPlace, signInCommand } from "../config/credentials/source.ts";
import { CliError, EXIT, usageError } from "../platform/usage/exit.ts";
import { withAccounts } from "./account-adapter.ts";
import { credentialQuery, credentialSources, hasOwnChain, type SecretWorkspace } from "./credentials.ts";
import { type ModelChoice, type Models, openModels, PRACTICE_PROVIDER } from "./models.ts";
import { RequestCredential, withRenewal } from "./renewing-adapter.ts";

export type { ModelChoice } from "./models.ts";

export interface ModelOverrides {
  readonly apiKey?: string;
  readonly baseUrl?: string;
  /** Set if the connection must use HTTP. */
  readonly websocket?: "off";
}

/** A workspace with access to its models. */
export interface ModelWorkspace extends SecretWorkspace {
  /** Reads the model files once for all copies of the workspace. */
  readonly models: () => Promise<Models>;
}

/** Reads the model files and reports what is wrong with them. */
export async function readModels(workspace: SecretWorkspace): Promise<Models> {
  const models = await openModels(workspace);
  for (const problem of models.problems) workspace.machine.stderr.write(`lathe: ${problem}\n`);
  return models;
}

export async function chooseModel(workspace: ModelWorkspace, selector: string): Promise<ModelChoice> {
  return (await workspace.models()).find(selector);
}

/** Creates the adapter of a choice. A missing credential fails here, before anything is sent. */
export async function connect(
  workspace: ModelWorkspace,
  choice: ModelChoice,
  overrides: ModelOverrides = {},
  deps?: ClientDeps,
): Promise<ProviderAdapter> {
  if (choice.provider === PRACTICE_PROVIDER) return (await import("./practice/adapter.ts")).practiceAdapter();
  const models = await workspace.models();
  const own = models.adapterOf(choice.provider);
  if (own) return own;
  const query = credentialQuery(choice.provider, workspace.env, models.configOf(choice.provider));
  const accounts = workspace.accounts();
  const isFound = async (): Promise<boolean> =>
    (await resolveCredential(query, credentialSources(workspace, runKey(choice, overrides)))) !== undefined;
  if (!(await isFound()) && !hasOwnChain(choice.provider)) {
    await accounts.lookAgain?.();
    if (!(await isFound())) throw noCredential(choice.provider, query, accounts.place);
  }
  models.noteCredential(choice.provider);
  return adapterOf(workspace, models, choice, overrides, deps);
}

/** Like `connect`, but looks up the credential only with the first request. */
export async function adapterOf(
  workspace: ModelWorkspace,
  models: Models,
  choice: ModelChoice,
  overrides: ModelOverrides = {},
  deps: ClientDeps = { ...workspace.machine.deps, env: workspace.env },
): Promise<ProviderAdapter> {
  const own = models.adapterOf(choice.provider);
  if (own) return own;
  const { resolveKey, ...connection } = providerOptions(workspace, models, choice, overrides);
  const credential = new RequestCredential(resolveKey, workspace.accounts());
  const options = { ...connection, resolveKey: () => credential.resolve(), deps };
  try {
    const opened = withRenewal(await openProvider(choice.provider, options), credential);
    const { accountChoices } = workspace;
    const adapter = accountChoices ? withAccounts(opened, choice.provider, accountChoices) : opened;
    if (!isLocal(models, choice.provider)) return adapter;
    const { localAdapter } = await import("./local/adapter.ts");
    return localAdapter(adapter, { workspace, models, provider: choice.provider, options });
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "ConfigurationError") throw error;
    const place = baseUrlPlace(workspace, models, choice, overrides);
    throw usageError(`${error.message}. Fix ${place}, or choose another model: lathe models`);
  }
}

/** The options for requests to a choice, from settings, models.yml and the command line. */
export function providerOptions(
  workspace: ModelWorkspace,
  models: Models,
  choice: ModelChoice,
  overrides: ModelOverrides = {},
): ProviderOptions & { readonly resolveKey: () => Promise<ResolvedCredential | undefined> } {
  const { settings, env } = workspace;
  const { provider } = choice;
  const config = models.configOf(provider);
  const connection = models.connection(choice);
  const sources = credentialSources(workspace, runKey(choice, overrides));
  const baseUrl = overrides.baseUrl ?? connection.baseUrl ?? ownBaseUrl(provider, env);
  const cacheRetention = connection.cacheRetention ?? (settings.cacheRetention || undefined);
  const websocket = overrides.websocket ?? (settings["providers.openaiWebsockets"] || undefined);
  const local = isLocal(models, provider);
  const firstEvent = local ? 0 : settings["timeouts.firstEvent"];
  return {
    ...connection,
    resolveKey: () => resolveCredential(credentialQuery(provider, env, config), sources),
    runCommand: async (command) => (await import("./secret-command.ts")).outputOf(workspace, command),
    timeout: { request: firstEvent, firstEvent, streamRead: local ? 0 : settings["timeouts.stall"] },
    userAgent: `lathe/${LATHE_VERSION}`,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(cacheRetention === undefined ? {} : { cacheRetention }),
    ...(websocket === undefined ? {} : { websocket }),
  };
}

/** A local server may take a long time to load its model. */
export function isLocal(models: Models, provider: string): boolean {
  return findRow(provider)?.discovery !== undefined || models.configOf(provider)?.discovery !== undefined;
}

/** The base URL from the environment, for providers without such a variable in the catalog. */
const ownBaseUrl = (provider: string, env: SecretWorkspace["env"]): string | undefined =>
  findRow(provider)?.baseUrlEnv ? undefined : env[baseUrlVariable(provider)];

/** Where the user finds the invalid base URL; if the catalog knows the variable, the message itself names it. */
function baseUrlPlace(
  { env }: SecretWorkspace,
  models: Models,
  { provider }: ModelChoice,
  { baseUrl }: ModelOverrides,
): string {
  if (baseUrl !== undefined) return "--base-url";
  if (models.configOf(provider)?.baseUrl !== undefined) return "models.yml";
  return ownBaseUrl(provider, env) ? baseUrlVariable(provider) : "models.yml or the variable";
}

/** For a provider `my-proxy` this is `MY_PROXY_BASE_URL`. */
const baseUrlVariable = (provider: string): string => `${provider.toUpperCase().replace(/[^A-Z0-9]+/g, "_")}_BASE_URL`;

function runKey({ provider }: ModelChoice, { apiKey }: ModelOverrides) {
  return apiKey === undefined ? undefined : { provider, key: apiKey };
}

export function noCredential(provider: string, { wantedEnv }: CredentialQuery, place: CredentialPlace): CliError {
  const row = findRow(provider);
  const variable = wantedEnv ?? row?.keyEnv.find((name) => name.endsWith("_API_KEY")) ?? row?.keyEnv[0];
  const how = variable ? `Set ${variable}, or run` : row ? "Run" : "Give it an apiKey in models.yml, or run";
  const login = `${signInCommand(place)} ${provider}`;
  return new CliError(EXIT.provider, `No credential for ${row?.name ?? provider}. ${how}: ${login}`);
}
