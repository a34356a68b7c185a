// The client of a session whose model can change. Adapters are added as needed; one that has not been used may still be
// loading.

import { harmonyGuard, type ProviderAdapter, RoutingClient } from "@lathe/llm";
import type { Workspace } from "../config/workspace/workspace.ts";

export class SwitchableClient {
  readonly #adapters: Record<string, ProviderAdapter> = {};
  readonly #workspace: Workspace;
  #client: RoutingClient;
  constructor(provider: string, adapter: ProviderAdapter, workspace: Workspace) {
    this.#workspace = workspace;
    this.#adapters[provider] = adapter;
    this.#client = this.#make();
  }
  has(provider: string): boolean {
    return Object.hasOwn(this.#adapters, provider);
  }
  add(provider: string, adapter: ProviderAdapter): void {
    this.rest(provider);
    this.#adapters[provider] = adapter;
    this.#client = this.#make();
  }
  /** Closes idle connections to a provider; a later request opens its own. */
  rest(provider: string): void {
    void this.#adapters[provider]?.close?.();
  }
  complete: RoutingClient["complete"] = (request, context) => this.#client.complete(request, context);
  stream: RoutingClient["stream"] = (request, context) => this.#client.stream(request, context);
  compact: RoutingClient["compact"] = (request, context) => this.#client.compact(request, context);
  segments: RoutingClient["segments"] = (request) => this.#client.segments(request);
  bodyBytes: RoutingClient["bodyBytes"] = (request) => this.#client.bodyBytes(request);
  close(): Promise<void> {
    return this.#client.close();
  }
  #make(): RoutingClient {
    return new RoutingClient({
      providers: this.#adapters,
      deps: this.#workspace.machine.deps,
      middleware: [harmonyGuard()],
    });
  }
}

/**
 * An adapter that opens with its first call. Until then it has no segments, as nothing was sent that could be compared.
 */
export function openOnUse(name: string, open: () => Promise<ProviderAdapter>): ProviderAdapter {
  let opening: Promise<ProviderAdapter> | undefined;
  let opened: ProviderAdapter | undefined;
  const ready = async (): Promise<ProviderAdapter> => {
    opening ??= open();
    opened = await opening;
    return opened;
  };
  return {
    name,
    complete: async (request, context) => (await ready()).complete(request, context),
    async *stream(request, context) {
      yield* (await ready()).stream(request, context);
    },
    segments: (request) => opened?.segments?.(request) ?? [],
    bodyBytes: async (request) => opened?.bodyBytes?.(request),
    supportsToolChoice: (mode) => opened?.supportsToolChoice?.(mode) ?? true,
    close: async () => opened?.close?.(),
  };
}
