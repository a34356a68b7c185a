// Combines a row, the environment and the caller's options into a host, a path and a credential.

import { bedrockAuth } from "../auth/aws/index.ts";
import { vertexAuth, vertexPlace } from "../auth/google/index.ts";
import type { ProviderRow } from "../catalog/provider-rows.ts";
import {
  anthropicBaseUrlOf,
  anthropicCredentialOf,
  anthropicCustomHeaders,
  anthropicTls,
} from "../protocols/anthropic/gateway.ts";
import { bedrockBaseUrl, bedrockEndpointUrl, bedrockRegion } from "../protocols/bedrock/endpoint.ts";
import { vertexBaseUrl } from "../protocols/gemini/endpoint.ts";
import { checkProxy } from "../transport/proxy-rules.ts";
import type { ClientDeps } from "../types/adapter.ts";
import { ConfigurationError } from "../types/errors.ts";
import type { Api } from "../types/model.ts";
import type { Auth } from "../types/protocol.ts";
import { headerAuth, withHeader } from "./auth.ts";
import { azureBaseUrl } from "./azure.ts";
import { type Credential, resolveCredential } from "./credentials.ts";
import { type ApiPlace, apiPlace } from "./endpoints.ts";
import type { ProviderOptions } from "./options.ts";
import { isBareWord, serverUrl } from "./server-url.ts";

export interface Wiring extends ApiPlace {
  readonly baseUrl: string;
  readonly auth: Auth;
  readonly defaultHeaders: Readonly<Record<string, string>>;
}

/** Everything that a wiring is derived from. */
export interface WiringInput {
  readonly name: string;
  readonly row: ProviderRow;
  readonly api: Api;
  readonly deps: ClientDeps;
  readonly options: ProviderOptions;
}

export function wire(input: WiringInput): Wiring {
  const { name, row, api, deps, options } = input;
  return {
    ...apiPlace(api, name, deps.env),
    baseUrl: baseUrlOf(input),
    auth: authOf(input),
    defaultHeaders: { ...headersOf(row, deps.env), ...options.defaultHeaders },
  };
}

function authOf(input: WiringInput): Auth {
  const { name, api, deps, options } = input;
  if (api === "bedrock-converse-stream") {
    const { runCommand } = options;
    const region = bedrockRegion(deps.env);
    const signed = bedrockAuth({ deps, region, ...(runCommand === undefined ? {} : { runCommand }) });
    return keyOr(signed, { ...input, keyHeader: "authorization" });
  }
  if (api === "google-vertex")
    return keyOr(vertexAuth({ deps, provider: name }), { ...input, keyHeader: "x-goog-api-key" });
  return keyAuth(input);
}

/** A key from the user wins over the cloud's own credential chain. */
function keyOr(chain: Auth, input: WiringInput & { readonly keyHeader: string }): Auth {
  const credential = credentialOf(input);
  return async (request) => {
    const found = await credential();
    if (!found?.value) return chain(request);
    const bearer = found.kind === "bearer" || input.keyHeader === "authorization";
    return withHeader(
      request,
      bearer ? "authorization" : input.keyHeader,
      bearer ? `Bearer ${found.value}` : found.value,
    );
  };
}

function baseUrlOf(input: WiringInput): string {
  const { row, deps } = input;
  const written = writtenBaseUrl(input);
  // Local servers may be named the way people write addresses.
  const isLocal = row.discovery !== undefined;
  const url = serverUrl(written, isLocal ? row.baseUrl : undefined);
  if (!isUrl(url) || (!isLocal && isBareWord(written))) {
    const variable = URL_VARIABLES.concat(row.baseUrlEnv ?? []).find((name) => deps.env[name] === written);
    const shown = written.replace(/\/\/[^/]*@/, "//…@");
    throw new ConfigurationError(
      `${variable ?? `Provider "${row.id}"`}: "${shown}" is not a URL; write one such as https://host/path`,
    );
  }
  checkProxy(url, deps.env);
  return row.basePath === undefined || url.endsWith(row.basePath) ? url : url + row.basePath;
}

/** Address variables of vendors whose own code decides among them. */
const URL_VARIABLES: readonly string[] = [
  "ANTHROPIC_BASE_URL",
  "FOUNDRY_BASE_URL",
  "AZURE_OPENAI_BASE_URL",
  "AZURE_OPENAI_ENDPOINT",
];

function writtenBaseUrl({ row, api, deps, options }: WiringInput): string {
  const { env } = deps;
  if (row.gateway === "anthropic" && options.baseUrl === undefined) return anthropicBaseUrlOf(env);
  if (api === "azure-openai-responses") return azureBaseUrl(env, options.baseUrl);
  if (options.baseUrl === undefined && api === "bedrock-converse-stream")
    return bedrockEndpointUrl(env) ?? bedrockBaseUrl(bedrockRegion(env));
  if (options.baseUrl === undefined && api === "google-vertex") return vertexBaseUrl(vertexPlace(env).location);
  const account = env["CLOUDFLARE_ACCOUNT_ID"];
  const usual =
    row.id === "cloudflare-workers-ai" && account
      ? `https://api.cloudflare.com/client/v4/accounts/${encodeURIComponent(account)}/ai/v1`
      : row.baseUrl;
  const configured = options.baseUrl ?? row.baseUrlEnv?.map((variable) => env[variable]).find(Boolean) ?? usual;
  if (configured !== undefined) return configured;
  const variable = row.baseUrlEnv?.[0];
  throw new ConfigurationError(
    `Provider "${row.id}" needs a base URL: set ${variable === undefined ? "baseUrl" : `baseUrl or ${variable}`}`,
  );
}

/** Node has a function for this, but the first use of each of its functions slows down the start. */
function isUrl(text: string): boolean {
  try {
    return /^https?:$/.test(new URL(text).protocol);
  } catch {
    return false;
  }
}

function headersOf(row: ProviderRow, env: ClientDeps["env"]): Record<string, string> {
  const headers: Record<string, string> = { ...row.headers };
  for (const [variable, header] of Object.entries(row.headerEnv ?? {})) {
    const value = env[variable];
    if (value) headers[header] = value;
  }
  return row.gateway === "anthropic" ? { ...headers, ...anthropicCustomHeaders(env) } : headers;
}

function keyAuth(input: WiringInput): Auth {
  const { name, row, deps, options } = input;
  const style = options.auth ?? row.auth;
  if (style === "aws" || style === "vertex") {
    throw new ConfigurationError(`Provider "${name}": credentials of style ${style} do not fit the API ${input.api}`);
  }
  const source = credentialOf(input);
  // A function returns tokens, which Azure takes as bearers.
  const tokens = style === "api-key" && typeof options.apiKey === "function";
  const credential = async () => {
    const found = await source();
    return found && tokens ? ({ ...found, kind: "bearer" } as const) : found;
  };
  const variable = row.keyEnv.at(-1);
  const hint = variable === undefined ? "configure one" : `set ${variable} or configure one`;
  const query = options.keyInQuery && style === "x-goog-api-key" ? { queryName: "key" } : {};
  const auth = headerAuth({ provider: name, style, credential, keyless: row.keyless === true, hint, ...query });
  return row.gateway === "anthropic" ? withTls(auth, deps) : auth;
}

function credentialOf({ name, row, deps, options }: WiringInput): () => Promise<Credential | undefined> {
  const { apiKey, resolveKey, configuredKey } = options;
  const gateway = row.gateway === "anthropic";
  return async () => {
    const found = await resolveCredential({
      env: deps.env,
      keyEnv: gateway ? [] : row.keyEnv,
      ...(apiKey === undefined ? {} : { explicit: apiKey }),
      ...(resolveKey === undefined ? {} : { stored: () => resolveKey(name) }),
      ...(gateway ? { oauth: async () => anthropicCredentialOf(deps.env) } : {}),
      ...(configuredKey === undefined ? {} : { configured: configuredKey }),
    });
    return found;
  };
}

/** Certificates are files, read once with the first request that can read them. */
function withTls(auth: Auth, deps: ClientDeps): Auth {
  let tls: ReturnType<typeof anthropicTls> | undefined;
  return async (request) => {
    tls ??= anthropicTls(deps).catch((error: unknown) => {
      tls = undefined;
      throw error;
    });
    const material = await tls;
    return auth(material === undefined ? request : { ...request, tls: material });
  };
}
