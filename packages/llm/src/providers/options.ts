// What a caller may say about a provider.

import type { AuthStyle } from "../catalog/provider-rows.ts";
import type { AdapterTimeouts, ClientDeps } from "../types/adapter.ts";
import type { Api, CacheRetention, ModelInfo, OpenAICompat, RequestTransform } from "../types/model.ts";
import type { Some } from "../types/some.ts";
import type { ApiKey, Credential } from "./credentials.ts";

/** How requests to a provider are made, beside what its row and the environment say. */
export interface ProviderOptions {
  readonly deps?: ClientDeps | undefined;
  /** Name under which requests run; the id when absent. */
  readonly name?: string | undefined;
  readonly apiKey?: ApiKey | undefined;
  /** Stored credentials of the host, asked after `apiKey` and before the environment. */
  readonly resolveKey?: ((provider: string) => Promise<Credential | undefined>) | undefined;
  /** The user's file: an environment variable's name or the key itself; comes last. */
  readonly configuredKey?: string | undefined;
  readonly api?: Api | undefined;
  readonly auth?: AuthStyle | undefined;
  /** Responses over a websocket; `auto` when LATHE_CODEX_WEBSOCKET is set and the API is the Codex one, else `off`. */
  readonly websocket?: "auto" | "off" | "on" | undefined;
  /** Gemini: the key goes into the address instead of a header, for proxies that know nothing else. */
  readonly keyInQuery?: boolean | undefined;
  readonly baseUrl?: string | undefined;
  readonly defaultHeaders?: Readonly<Record<string, string>> | undefined;
  readonly timeout?: Some<AdapterTimeouts> | undefined;
  readonly cacheRetention?: CacheRetention | undefined;
  readonly disableStrictTools?: boolean | undefined;
  readonly requestTransform?: RequestTransform | undefined;
  readonly compat?: OpenAICompat | undefined;
  /** Looked up before the built-in catalog. */
  readonly model?: ((id: string) => ModelInfo | undefined) | undefined;
  readonly userAgent?: string | undefined;
  /** Runs the `credential_process` of an AWS profile and gives its output; without it such profiles are refused. */
  readonly runCommand?: ((command: string) => Promise<string>) | undefined;
}
