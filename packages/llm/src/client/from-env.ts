// Options for a client built from the environment.

import type { ClientMiddleware } from "../middleware/compose.ts";
import type { ClientDeps } from "../types/adapter.ts";

/** The options of `Client.fromEnv`. */
export interface FromEnvOptions {
  /** Where keys are looked up, even if `deps` has its own environment. */
  readonly env?: ClientDeps["env"] | undefined;
  readonly deps?: ClientDeps | undefined;
  /** Providers to add although no unambiguous key names them, such as cloud and local ones. */
  readonly include?: readonly string[] | undefined;
  readonly defaultProvider?: string | undefined;
  readonly middleware?: readonly ClientMiddleware[] | undefined;
}
