// What a client built from the environment may be told. `providersFromEnv(env, deps, options)` lives with the
// provider rows and answers with the adapters in order of precedence.

import type { Middleware } from "../middleware/compose.ts";
import type { ClientDeps, ProviderAdapter } from "../types/adapter.ts";

export interface FromEnvOptions {
  readonly env?: ClientDeps["env"];
  readonly deps?: ClientDeps;
  /** Providers to add although no unambiguous key names them, such as cloud and local ones. */
  readonly include?: readonly string[];
  readonly defaultProvider?: string;
  readonly middleware?: readonly Middleware[];
}

export type ProvidersFromEnv = (
  env: ClientDeps["env"],
  deps: ClientDeps,
  options: Pick<FromEnvOptions, "include">,
) => Record<string, ProviderAdapter>;
