// An adapter at once, with every protocol there is.

import type { ProviderAdapter } from "../types/adapter.ts";
import { assemble, rowOf } from "./assemble.ts";
import type { ProviderOptions } from "./options.ts";
import { protocols } from "./protocols.ts";

/** An adapter for a built-in provider by its id, or for one of your own with an `api` and a `baseUrl`. */
export function createProvider(id: string, options: ProviderOptions = {}): ProviderAdapter {
  return assemble(rowOf(id, options), options, protocols);
}
