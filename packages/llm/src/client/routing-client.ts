// Routing: decides which adapter gets a request, and through which middleware. This module knows no vendor and keeps
// nothing about a call.

import { findRow } from "../catalog/provider-rows.ts";
import { defaultDeps } from "../deps.ts";
import { type ClientMiddleware, throughComplete, throughStream } from "../middleware/compose.ts";
import type { CallContext, ClientDeps, ProviderAdapter, Segment } from "../types/adapter.ts";
import { ConfigurationError } from "../types/errors.ts";
import type { StreamEvent } from "../types/events.ts";
import type { Request, ToolChoiceMode } from "../types/request.ts";
import type { Response } from "../types/response.ts";

/** The options of a client. */
export interface ClientOptions {
  readonly providers: Readonly<Record<string, ProviderAdapter>>;
  /** The first provider when absent. */
  readonly defaultProvider?: string | undefined;
  readonly middleware?: readonly ClientMiddleware[] | undefined;
  readonly deps?: ClientDeps | undefined;
}

/** A client without this package's providers, so that callers with their own adapters load no others. */
export class RoutingClient {
  readonly defaultProvider: string | undefined;
  readonly deps: ClientDeps;
  readonly #adapters: ReadonlyMap<string, ProviderAdapter>;
  readonly #middleware: readonly ClientMiddleware[];
  readonly #ready: ReadonlyMap<string, Promise<void>>;

  constructor(options: ClientOptions) {
    this.#adapters = new Map(Object.entries(options.providers));
    this.#middleware = options.middleware ?? [];
    this.deps = options.deps ?? defaultDeps();
    this.defaultProvider = this.#registeredName(options.defaultProvider) ?? this.providers()[0];
    if (options.defaultProvider !== undefined) this.#adapter(options.defaultProvider);
    this.#ready = new Map(
      [...this.#adapters].flatMap(([name, adapter]) => {
        const ready = adapter.initialize?.();
        // The first call to that provider reports the failure; here it must not become an unhandled rejection.
        ready?.catch(() => {});
        return ready === undefined ? [] : [[name, ready] as const];
      }),
    );
  }

  providers(): string[] {
    return [...this.#adapters.keys()];
  }

  async complete(request: Request, context: CallContext = {}): Promise<Response> {
    return throughComplete(this.#middleware, this.#route(request), async (final) => {
      const adapter = this.#adapter(final.provider);
      await this.#ready.get(final.provider ?? "");
      return adapter.complete(final, context);
    });
  }

  stream(request: Request, context: CallContext = {}): AsyncIterable<StreamEvent> {
    const routed = this.#route(request);
    return throughStream(this.#middleware, routed, (final) => {
      const name = final.provider ?? "";
      const adapter = this.#adapter(name);
      const ready = this.#ready.get(name);
      return ready === undefined
        ? adapter.stream(final, context)
        : afterReady(ready, () => adapter.stream(final, context));
    });
  }

  /** The prefix that a request would send, in wire form. Sends nothing. */
  segments(request: Request): readonly Segment[] {
    const routed = this.#route(request);
    return this.#adapter(routed.provider).segments?.(routed) ?? [];
  }

  /** Bytes of the body that a request would send; undefined if its adapter cannot tell. */
  async bodyBytes(request: Request): Promise<number | undefined> {
    const routed = this.#route(request);
    return this.#adapter(routed.provider).bodyBytes?.(routed);
  }

  /** Undefined if the vendor has no compact form of a history. */
  async compact(request: Request, context: CallContext = {}): Promise<Response | undefined> {
    const routed = this.#route(request);
    const adapter = this.#adapter(routed.provider);
    await this.#ready.get(routed.provider ?? "");
    return adapter.compact?.(routed, context);
  }

  async countTokens(request: Request, context: CallContext = {}): Promise<number> {
    const routed = this.#route(request);
    const adapter = this.#adapter(routed.provider);
    if (adapter.countTokens === undefined)
      throw new ConfigurationError(`${adapter.name} cannot count tokens without sending a request.`);
    return adapter.countTokens(routed, context);
  }

  supportsToolChoice(mode: ToolChoiceMode, provider?: string): boolean {
    return this.#adapter(provider ?? this.defaultProvider).supportsToolChoice?.(mode) ?? true;
  }

  /** Closes every adapter even if some fail, then reports the first failure. */
  async close(): Promise<void> {
    const closing = [...this.#adapters.values()].map(async (adapter) => adapter.close?.());
    const failed = (await Promise.allSettled(closing)).find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }

  #route(request: Request): Request {
    const provider = this.#registeredName(request.provider) ?? this.defaultProvider;
    this.#adapter(provider);
    return provider === undefined || request.provider === provider ? request : { ...request, provider };
  }

  /** Another name of a vendor stands for the provider with its id, unless that name is taken. */
  #registeredName(name: string | undefined): string | undefined {
    if (name === undefined || this.#adapters.has(name)) return name;
    const id = findRow(name)?.id;
    return id !== undefined && this.#adapters.has(id) ? id : name;
  }

  #adapter(requestedName: string | undefined): ProviderAdapter {
    const name = this.#registeredName(requestedName);
    const adapter = name === undefined ? undefined : this.#adapters.get(name);
    if (adapter !== undefined) return adapter;
    const registered = this.providers().join(", ") || "none";
    throw new ConfigurationError(
      name === undefined
        ? "No provider is configured. Set an API key such as ANTHROPIC_API_KEY, or pass providers to the client."
        : `The provider "${name}" is not registered; registered providers: ${registered}.`,
    );
  }
}

async function* afterReady(
  ready: Promise<void>,
  open: () => AsyncIterable<StreamEvent>,
): AsyncGenerator<StreamEvent, void, undefined> {
  await ready;
  yield* open();
}
