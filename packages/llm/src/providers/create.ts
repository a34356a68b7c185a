// An adapter at once, with every protocol there is.

import type { ProviderAdapter } from "../types/adapter.ts";
import { assemble, type ProviderOptions, rowOf } from "./assemble.ts";
import { protocols } from "./protocols.ts";

export function createProvider(id: string, options: ProviderOptions = {}): ProviderAdapter {
  return assemble(rowOf(id, options), options, protocols);
}
