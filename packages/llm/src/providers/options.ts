// The options of a provider.

import type { AuthStyle } from "../catalog/provider-rows.ts";
import type { AdapterTimeouts, ClientDeps } from "../types/adapter.ts";
import type { Api, CacheRetention, ModelInfo, OpenAICompat, RequestTransform } from "../types/model.ts";
import type { Some } from "../types/some.ts";
import type { ApiKey, Credential } from "./credentials.ts";

/** How to make requests to a provider, in addition to its row and the environment. */
export interface ProviderOptions {
  readonly deps?: ClientDeps | undefined;
  /** Name under which requests run; the id when absent. */
  readonly name?: string | undefined;
  readonly apiKey?: ApiKey | undefined;
  /** The host's stored credentials, used after `apiKey` and before the environment. */
  readonly resolveKey?: ((provider: string) => Promise<Credential | undefined>) | undefined;
  /** From the user's file: an environment variable's name or the key itself; lowest priority. */
  readonly configuredKey?: string | undefined;
  readonly api?: Api | undefined;
  readonly auth?: AuthStyle | undefined;
  /** Responses over a websocket; `auto` when LATHE_CODEX_WEBSOCKET is set and the API is the Codex one, else `off`. */
  readonly websocket?: "auto" | "off" | "on" | undefined;
  /** Gemini: sends the key in the address instead of a header, for proxies that support nothing else. */
  readonly keyInQuery?: boolean | undefined;
  readonly baseUrl?: string | undefined;
  readonly defaultHeaders?: Readonly<Record<string, string>> | undefined;
  readonly timeout?: Some<AdapterTimeouts> | undefined;
  readonly cacheRetention?: CacheRetention | undefined;
  readonly disableStrictTools?: boolean | undefined;
  readonly requestTransform?: RequestTransform | undefined;
  readonly compat?: OpenAICompat | undefined;
  /** Asked before the built-in catalog. */
  readonly model?: ((id: string) => ModelInfo | undefined) | undefined;
  readonly userAgent?: string | undefined;
  /** Runs the `credential_process` of an AWS profile and returns its output; without it such profiles are refused. */
  readonly runCommand?: ((command: string) => Promise<string>) | undefined;
}
