// Makes an adapter synchronously, with all protocols loaded.

import type { ProviderAdapter } from "../types/adapter.ts";
import { assemble, rowOf } from "./assemble.ts";
import type { ProviderOptions } from "./options.ts";
import { protocols } from "./protocols.ts";

/** Makes an adapter for a built-in provider by its id, or for your own with an `api` and a `baseUrl`. */
export function createProvider(id: string, options: ProviderOptions = {}): ProviderAdapter {
  return assemble(rowOf(id, options), options, protocols);
}
