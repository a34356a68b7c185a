// Options of a client built from the environment.

import type { ClientMiddleware } from "../middleware/compose.ts";
import type { ClientDeps } from "../types/adapter.ts";

/** What `Client.fromEnv` may be told. */
export interface FromEnvOptions {
  /** Where keys are looked for, also when `deps` has an environment of its own. */
  readonly env?: ClientDeps["env"] | undefined;
  readonly deps?: ClientDeps | undefined;
  /** Providers to add although no unambiguous key names them, such as cloud and local ones. */
  readonly include?: readonly string[] | undefined;
  readonly defaultProvider?: string | undefined;
  readonly middleware?: readonly ClientMiddleware[] | undefined;
}
