// The client with the providers that the environment has keys for.

import { defaultDeps } from "../deps.ts";
import { providersFromEnv } from "../providers/index.ts";
import type { FromEnvOptions } from "./from-env.ts";
import { RoutingClient } from "./routing-client.ts";

/** One client for any number of providers: `complete` and `stream` are the raw calls, without retry and tools. */
export class Client extends RoutingClient {
  /** Adds a provider for every key in the environment, in the order openai, anthropic, gemini, then the others. */
  static fromEnv(options: FromEnvOptions = {}): Client {
    const { env, middleware, defaultProvider } = options;
    const given = options.deps ?? defaultDeps(env === undefined ? {} : { env });
    const deps = env === undefined ? given : { ...given, env };
    return new Client({
      providers: providersFromEnv(deps.env, deps, options),
      deps,
      ...(middleware === undefined ? {} : { middleware }),
      ...(defaultProvider === undefined ? {} : { defaultProvider }),
    });
  }
}
