// Makes an adapter from a row of data or from a user's own description. The caller decides which protocols are
// available: all of them, or the one that was loaded.

import { type AdapterOptions, createAdapter } from "../adapter.ts";
import { assumedModel } from "../catalog/assumed.ts";
import { builtinCatalog } from "../catalog/index.ts";
import { type AuthStyle, findRow, type ProviderRow } from "../catalog/provider-rows.ts";
import { defaultDeps } from "../deps.ts";
import { mergeCompat } from "../protocols/openai-chat/compat.ts";
import type { AdapterTimeouts, ClientDeps, ProviderAdapter } from "../types/adapter.ts";
import { ConfigurationError } from "../types/errors.ts";
import type { Api, ModelInfo } from "../types/model.ts";
import { own } from "../types/own.ts";
import type { Protocol } from "../types/protocol.ts";
import { withoutUndefined } from "../types/some.ts";
import { azureDeployments } from "./azure.ts";
import { withFallback } from "./fallback.ts";
import type { ProviderOptions } from "./options.ts";
import { mergeTransforms } from "./transform.ts";
import { withWebsocket } from "./websocket.ts";
import { type WiringInput, wire } from "./wiring.ts";

export type ProtocolTable = Partial<Readonly<Record<Api, Protocol>>>;

/** The built-in row of a provider, or one made from the user's options. */
export function rowOf(id: string, options: ProviderOptions): ProviderRow {
  const row = findRow(id) ?? customRow(id, options);
  if (row.unsupported !== undefined)
    throw new ConfigurationError(`Provider "${id}" is not supported: ${row.unsupported}`);
  return row;
}

/** The API that an adapter uses, and its fallback. */
export function apisOf(row: ProviderRow, { api }: ProviderOptions): readonly [Api, Api?] {
  if (api !== undefined) return [api];
  return row.fallbackApi === undefined ? [row.api] : [row.api, row.fallbackApi];
}

export function assemble(row: ProviderRow, options: ProviderOptions, protocols: ProtocolTable): ProviderAdapter {
  const name = options.name ?? row.id;
  const deps = options.deps ?? defaultDeps();
  const build = (api: Api): ProviderAdapter => {
    const protocol = protocols[api];
    if (!protocol) throw new ConfigurationError(`Provider "${name}": the API ${api} is not built in`);
    return createAdapter({ ...adapterOptions({ name, row, api, deps, options }), protocol });
  };
  const [preferred, fallback] = apisOf(row, options);
  return fallback === undefined ? build(preferred) : withFallback(build(preferred), build(fallback));
}

/** The row of a provider that only the user's configuration knows. */
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

function adapterOptions(input: WiringInput): Omit<AdapterOptions, "protocol"> {
  const { name, row, api, deps, options } = input;
  const { cacheRetention, disableStrictTools, userAgent } = options;
  return {
    name,
    ...wire(input),
    deps: withWebsocket(input),
    model: modelLookup(name, row, deps.env, options),
    timeouts: { ...timeoutsFor(row, api, deps.env), ...withoutUndefined(options.timeout) },
    ...(row.compacts ? {} : { compactEndpoint: undefined }),
    ...(cacheRetention === undefined ? {} : { cacheRetention }),
    ...(disableStrictTools === undefined ? {} : { disableStrictTools }),
    ...(userAgent === undefined ? {} : { userAgent }),
  };
}

function timeoutsFor(row: ProviderRow, api: Api, env: ClientDeps["env"]): Partial<AdapterTimeouts> {
  // A local model may take minutes to load before its first token.
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

/** Returns one object per id for the adapter's life, because encoders cache what they derive from it. */
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
      assumedModel(builtinCatalog, row.id, id, options.api ?? row.api);
    const compat = mergeCompat(mergeCompat(row.compat, options.compat), base.compat);
    const transform = mergeTransforms(options.requestTransform, base.requestTransform);
    const deployment = own(deployments, id);
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
