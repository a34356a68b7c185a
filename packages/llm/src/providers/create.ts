// From a row of data, or a user's own description, to an adapter.

import { type AdapterOptions, createAdapter, unknownModel } from "../adapter.ts";
import { builtinCatalog } from "../catalog/index.ts";
import { defaultDeps } from "../deps.ts";
import {
  anthropicBaseUrlOf,
  anthropicCredentialOf,
  anthropicCustomHeaders,
  anthropicTls,
} from "../protocols/anthropic/gateway.ts";
import { mergeCompat } from "../protocols/openai-chat/compat.ts";
import type { AdapterTimeouts, ClientDeps, ProviderAdapter } from "../types/adapter.ts";
import { ConfigurationError } from "../types/errors.ts";
import type { Api, CacheRetention, ModelInfo, OpenAICompat, RequestTransform } from "../types/model.ts";
import type { Auth } from "../types/protocol.ts";
import { headerAuth } from "./auth.ts";
import { azureBaseUrl, azureDeployments } from "./azure.ts";
import { type ApiKey, type Credential, resolveCredential } from "./credentials.ts";
import { apiKind } from "./endpoints.ts";
import { withFallback } from "./fallback.ts";
import { type AuthStyle, findRow, type ProviderRow } from "./rows.ts";
import { mergeTransforms } from "./transform.ts";

export interface ProviderOptions {
  readonly deps?: ClientDeps;
  /** Name under which requests run; the id when absent. */
  readonly name?: string;
  readonly apiKey?: ApiKey;
  /** Stored credentials of the host, asked after `apiKey` and before the environment. */
  readonly resolveKey?: (provider: string) => Promise<Credential | undefined>;
  /** The user's file: an environment variable's name or the key itself; comes last. */
  readonly configuredKey?: string;
  readonly api?: Api;
  readonly auth?: AuthStyle;
  readonly baseUrl?: string;
  readonly defaultHeaders?: Readonly<Record<string, string>>;
  readonly timeout?: Partial<AdapterTimeouts>;
  readonly cacheRetention?: CacheRetention;
  readonly disableStrictTools?: boolean;
  readonly requestTransform?: RequestTransform;
  readonly compat?: OpenAICompat;
  /** Looked up before the built-in catalog. */
  readonly model?: (id: string) => ModelInfo | undefined;
  readonly userAgent?: string;
}

export function createProvider(id: string, options: ProviderOptions = {}): ProviderAdapter {
  const row = findRow(id) ?? customRow(id, options);
  const name = options.name ?? row.id;
  if (row.unsupported !== undefined)
    throw new ConfigurationError(`Provider "${id}" is not supported: ${row.unsupported}`);
  const deps = options.deps ?? defaultDeps();
  const api = options.api ?? row.api;
  const build = (chosen: Api) => createAdapter(adapterOptions(name, row, chosen, deps, options));
  return row.fallbackApi !== undefined && options.api === undefined
    ? withFallback(build(api), build(row.fallbackApi))
    : build(api);
}

/** A provider that only the user's configuration knows. */
function customRow(id: string, { api, baseUrl, auth }: ProviderOptions): ProviderRow {
  if (api === undefined || baseUrl === undefined) {
    throw new ConfigurationError(`Unknown provider "${id}": give it an api and a baseUrl, or use a built-in id`);
  }
  return { id, name: id, api, baseUrl, auth: auth ?? defaultAuth(api), keyEnv: [] };
}

function defaultAuth(api: Api): AuthStyle {
  if (api === "anthropic-messages") return "x-api-key";
  if (api === "google-generative-ai") return "x-goog-api-key";
  if (api === "azure-openai-responses") return "api-key";
  return api === "google-vertex" ? "vertex" : api === "bedrock-converse-stream" ? "aws" : "bearer";
}

function adapterOptions(
  name: string,
  row: ProviderRow,
  api: Api,
  deps: ClientDeps,
  options: ProviderOptions,
): AdapterOptions {
  const { env } = deps;
  const kind = apiKind(api, name, env);
  const { cacheRetention, disableStrictTools, userAgent } = options;
  return {
    name,
    ...kind,
    auth: authFor(name, row, deps, options),
    baseUrl: baseUrlFor(row, env, options),
    deps,
    model: modelLookup(name, row, env, options),
    defaultHeaders: { ...headersFor(row, env), ...options.defaultHeaders },
    timeouts: { ...timeoutsFor(row, api, env), ...options.timeout },
    ...(cacheRetention === undefined ? {} : { cacheRetention }),
    ...(disableStrictTools === undefined ? {} : { disableStrictTools }),
    ...(userAgent === undefined ? {} : { userAgent }),
  };
}

function baseUrlFor(row: ProviderRow, env: ClientDeps["env"], { baseUrl }: ProviderOptions): string {
  if (row.id === "anthropic" && baseUrl === undefined) return anthropicBaseUrlOf(env);
  if (row.api === "azure-openai-responses") return azureBaseUrl(env, baseUrl);
  const configured = baseUrl ?? row.baseUrlEnv?.map((variable) => env[variable]).find(Boolean) ?? row.baseUrl;
  if (configured === undefined) {
    const variable = row.baseUrlEnv?.[0];
    throw new ConfigurationError(
      `Provider "${row.id}" needs a base URL: set ${variable === undefined ? "baseUrl" : `baseUrl or ${variable}`}`,
    );
  }
  const url = (/^https?:\/\//.test(configured) ? configured : `http://${configured}`).replace(/\/+$/, "");
  if (!URL.canParse(url)) throw new ConfigurationError(`Provider "${row.id}": "${configured}" is not a URL`);
  return row.basePath === undefined || url.endsWith(row.basePath) ? url : url + row.basePath;
}

function headersFor(row: ProviderRow, env: ClientDeps["env"]): Record<string, string> {
  const headers: Record<string, string> = { ...row.headers };
  for (const [variable, header] of Object.entries(row.headerEnv ?? {})) {
    const value = env[variable];
    if (value) headers[header] = value;
  }
  return row.id === "anthropic" ? { ...headers, ...anthropicCustomHeaders(env) } : headers;
}

function authFor(name: string, row: ProviderRow, deps: ClientDeps, options: ProviderOptions): Auth {
  const style = options.auth ?? row.auth;
  if (style === "aws" || style === "vertex") {
    throw new ConfigurationError(`Provider "${name}": credentials of style ${style} are not built in`);
  }
  const { apiKey, resolveKey, configuredKey } = options;
  const credential = async () => {
    const found = await resolveCredential({
      env: row.id === "anthropic" ? {} : deps.env,
      keyEnv: row.keyEnv,
      ...(apiKey === undefined ? {} : { explicit: apiKey }),
      ...(resolveKey === undefined ? {} : { stored: () => resolveKey(name) }),
      ...(configuredKey === undefined ? {} : { configured: configuredKey }),
    });
    // A function hands out tokens, and those go as bearers at Azure.
    if (found && style === "api-key" && typeof apiKey === "function") return { ...found, kind: "bearer" } as const;
    return found ?? (row.id === "anthropic" ? anthropicCredentialOf(deps.env) : undefined);
  };
  const keys = row.keyEnv.at(-1);
  const hint = keys === undefined ? "configure one" : `set ${keys} or configure one`;
  const auth = headerAuth({ provider: name, style, credential, keyless: row.keyless === true, hint });
  return row.id === "anthropic" ? withTls(auth, deps) : auth;
}

/** Certificates are files: read once, with the first request. */
function withTls(auth: Auth, deps: ClientDeps): Auth {
  let tls: ReturnType<typeof anthropicTls> | undefined;
  return async (request) => {
    tls ??= anthropicTls(deps);
    const material = await tls;
    return auth(material === undefined ? request : { ...request, tls: material });
  };
}

function timeoutsFor(row: ProviderRow, api: Api, env: ClientDeps["env"]): Partial<AdapterTimeouts> {
  // A local model may load for minutes before its first token.
  if (row.discovery !== undefined) return { request: 0, firstEvent: 0, streamRead: 0 };
  if (!api.startsWith("openai") && !api.startsWith("azure")) return {};
  const firstEvent = positive(env["LATHE_OPENAI_STREAM_FIRST_EVENT_TIMEOUT_MS"]);
  const streamRead = positive(env["LATHE_OPENAI_STREAM_IDLE_TIMEOUT_MS"]);
  return {
    ...(firstEvent === undefined ? {} : { firstEvent: firstEvent / 1000 }),
    ...(streamRead === undefined ? {} : { streamRead: streamRead / 1000 }),
  };
}

function positive(text: string | undefined): number | undefined {
  const value = Number(text);
  return Number.isInteger(value) && value > 0 ? value : undefined;
}

/** One object per id for the adapter's life: encoders remember what they derive from it. */
function modelLookup(
  name: string,
  row: ProviderRow,
  env: ClientDeps["env"],
  options: ProviderOptions,
): (id: string) => ModelInfo {
  const known = new Map<string, ModelInfo>();
  const deployments = row.api === "azure-openai-responses" ? azureDeployments(env) : {};
  return (id) => {
    const seen = known.get(id);
    if (seen) return seen;
    const base =
      options.model?.(id) ??
      builtinCatalog.get(row.id, id) ??
      ({ ...unknownModel(id, name), thinking: { mode: "effort" } } satisfies ModelInfo);
    const compat = mergeCompat(mergeCompat(row.compat, options.compat), base.compat);
    const transform = mergeTransforms(options.requestTransform, base.requestTransform);
    const deployment = deployments[id];
    const model: ModelInfo = {
      ...base,
      provider: name,
      ...(Object.keys(compat).length === 0 ? {} : { compat }),
      ...(transform === undefined ? {} : { requestTransform: transform }),
      ...(deployment === undefined ? {} : { wireModelId: deployment }),
    };
    known.set(id, model);
    return model;
  };
}
