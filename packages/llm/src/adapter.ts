// The generic adapter: turns a protocol, an endpoint and an auth into a ProviderAdapter. The order of one call: media,
// encode, headers, auth, send, then classify or decode. It keeps no state about a call and never retries, except
// without tool enforcement if the vendor refuses that.

import { unknownModel } from "./catalog/assumed.ts";
import { classifyHttpFailure, redact, redactError, refusesEnforcement } from "./errors/classify.ts";
import { field, rateLimitOf } from "./errors/headers.ts";
import { networkError } from "./errors/network.ts";
import { secretsOf } from "./errors/sent-secrets.ts";
import { MessageResolver, type ResolvedMessages } from "./media/resolve.ts";
import { checkRequest } from "./protocols/common/check-request.ts";
import { createSegmentCache } from "./segments.ts";
import { AdapterStream, AnswerReader, type Exchange } from "./stream/driver.ts";
import { CallGuard } from "./stream/guard.ts";
import { parseBody, readText } from "./transport/answer-body.ts";
import type {
  AdapterTimeouts,
  CallContext,
  ClientDeps,
  ProviderAdapter,
  Segment,
  TlsMaterial,
  TransportRequest,
  TransportResponse,
} from "./types/adapter.ts";
import { CredentialError, InvalidRequestError, SDKError, StreamError, UnexpectedError } from "./types/errors.ts";
import type { StreamEvent } from "./types/events.ts";
import type { CacheRetention, ModelInfo, RequestTransform } from "./types/model.ts";
import type { Auth, EncodedRequest, Endpoint, Operation, Protocol, SegmentCache } from "./types/protocol.ts";
import type { Request } from "./types/request.ts";
import type { Response } from "./types/response.ts";
import { type Some, withoutUndefined } from "./types/some.ts";

/** The parts of an adapter. */
export interface AdapterOptions {
  readonly name: string;
  readonly protocol: Protocol;
  readonly endpoint: Endpoint;
  readonly auth: Auth;
  readonly baseUrl: string;
  readonly deps: ClientDeps;
  /** Looks up the catalog; an unknown id gets conservative defaults. */
  readonly model?: ((id: string) => ModelInfo | undefined) | undefined;
  readonly defaultHeaders?: Readonly<Record<string, string>> | undefined;
  readonly timeouts?: Some<AdapterTimeouts> | undefined;
  readonly cacheRetention?: CacheRetention | undefined;
  readonly disableStrictTools?: boolean | undefined;
  readonly requestTransform?: RequestTransform | undefined;
  readonly tls?: TlsMaterial | undefined;
  /** The vendor has an endpoint for operation `count_tokens`. */
  readonly countsTokens?: boolean | undefined;
  /** Where the vendor compacts a conversation; absent if it does not. */
  readonly compactEndpoint?: Endpoint | undefined;
  readonly userAgent?: string | undefined;
}

/** `firstEvent` is the same as `request` unless it is set itself. */
export const DEFAULT_TIMEOUTS: Omit<AdapterTimeouts, "firstEvent"> = { connect: 10, request: 120, streamRead: 30 };

/** Makes an adapter from a protocol, an endpoint and an auth. */
export function createAdapter(options: AdapterOptions): ProviderAdapter {
  const adapter = new HttpAdapter(options);
  return {
    name: options.name,
    complete: (request, context) => adapter.complete(request, context, "complete"),
    stream: (request, context) => adapter.stream(request, context),
    segments: (request) => adapter.segments(request),
    bodyBytes: (request) => adapter.bodyBytes(request),
    supportsToolChoice: (mode) => options.protocol.toolChoiceModes.includes(mode),
    prepare: () => adapter.prepare(),
    close: async () => options.deps.fetch.close?.(),
    ...(options.countsTokens === true
      ? { countTokens: (request: Request, context: CallContext) => adapter.countTokens(request, context) }
      : {}),
    ...(options.compactEndpoint !== undefined
      ? { compact: (request: Request, context: CallContext) => adapter.complete(request, context, "compact") }
      : {}),
  };
}

const MAX_ERROR_BODY = 256 * 1024;
const MAX_BODY = 64 * 1024 * 1024;

class HttpAdapter {
  readonly #options: AdapterOptions;
  readonly #resolver: MessageResolver;
  readonly #segments: SegmentCache = createSegmentCache();
  readonly #usualTimeouts: AdapterTimeouts;
  /** Requests are values, so a request that was encoded for its segments is sent as it was encoded. */
  readonly #prepared = new WeakMap<Request, { readonly encoded: EncodedRequest; readonly length: number }>();

  /** Models with sets of tools whose arguments the vendor refused to enforce; sent without enforcement from then on. */
  readonly #unenforced = new Set<string>();

  constructor(options: AdapterOptions) {
    this.#options = options;
    const { name, protocol, deps, timeouts } = options;
    this.#resolver = new MessageResolver({ provider: name, rules: protocol.media, deps });
    this.#usualTimeouts = timeoutsOf(timeouts);
  }

  prepare(): void {
    const { endpoint, baseUrl, tls, deps } = this.#options;
    try {
      const url = endpoint({ operation: "stream", wireModel: "any", baseUrl });
      deps.fetch.prepare?.({ url, ...(tls === undefined ? {} : { tls }) });
    } catch {
      // The address or a certificate cannot be used; the request itself will report that to its caller.
    }
  }

  /** Requests one answer, sent as a whole. */
  async complete(request: Request, context: CallContext, operation: "complete" | "compact"): Promise<Response> {
    const guard = this.#guard(context);
    try {
      guard.arm("request", this.#timeouts(context).request);
      const exchange = await this.#open(request, operation, context, guard);
      const reader = new AnswerReader(exchange);
      while (!reader.sink.terminal) await reader.step(false);
      if (reader.sink.response === undefined) throw reader.sink.failure;
      guard.throwIfOver();
      return reader.sink.response;
    } catch (error) {
      throw guard.failure ?? failureOf(error, unexpectedError);
    } finally {
      guard.release();
    }
  }

  stream(request: Request, context: CallContext): AsyncIterable<StreamEvent> {
    return new AdapterStream(async (onLeave) => {
      const guard = this.#guard(context);
      onLeave(() => guard.abandon());
      try {
        guard.arm("request", this.#timeouts(context).request);
        const exchange = await this.#open(request, "stream", context, guard);
        guard.disarm();
        return exchange;
      } catch (error) {
        guard.release();
        throw guard.failure ?? failureOf(error, unexpectedError);
      }
    });
  }

  async countTokens(request: Request, context: CallContext): Promise<number> {
    const guard = this.#guard(context);
    try {
      guard.arm("request", this.#timeouts(context).request);
      const { response } = await this.#open(request, "count_tokens", context, guard);
      const body = parseBody(await readText(response, MAX_BODY));
      for (const name of ["input_tokens", "totalTokens", "inputTokens"]) {
        const count = field(body, name);
        if (typeof count === "number") return count;
      }
      throw new StreamError(`${this.#options.name}: the token count is missing in the answer.`);
    } catch (error) {
      throw guard.failure ?? failureOf(error, unexpectedError);
    } finally {
      guard.release();
    }
  }

  segments(request: Request): readonly Segment[] {
    const known = this.#resolver.knownMessages(request.messages);
    const encoded = this.#encode(request, known, "stream");
    if (known.complete) this.#prepared.set(request, { encoded, length: request.messages.length });
    return encoded.segments;
  }

  async bodyBytes(request: Request): Promise<number> {
    const resolved = await this.#resolver.resolve(request.messages);
    const encoder = new TextEncoder();
    let bytes = 0;
    for (const piece of this.#encode(request, resolved, "stream").body)
      bytes += typeof piece === "string" ? encoder.encode(piece).length : piece.length;
    return bytes;
  }

  async #open(
    request: Request,
    operation: Operation | "compact",
    context: CallContext,
    guard: CallGuard,
  ): Promise<Exchange> {
    guard.throwIfOver();
    checkRequest(request, this.#options);
    const encoding = this.#prepare(request, operation);
    const encoded = encoding instanceof Promise ? await guard.race(encoding) : encoding;
    if (this.#unenforced.size === 0 || !this.#unenforced.has(toolsOf(request, encoded))) {
      try {
        return await this.#send(request, operation, context, guard, encoded);
      } catch (error) {
        if (!refusesEnforcement(error) || !enforcesTools(encoded)) throw error;
      }
    }
    // The prefix that `segments` shows stays the same: no vendor has cached what it refused.
    const resolved = await guard.race(Promise.resolve(this.#resolver.resolve(request.messages)));
    const loose = this.#encode(request, resolved, operation, true);
    const exchange = await this.#send(request, operation, context, guard, loose);
    this.#unenforced.add(toolsOf(request, encoded));
    return exchange;
  }

  async #send(
    request: Request,
    operation: Operation | "compact",
    context: CallContext,
    guard: CallGuard,
    encoded: EncodedRequest,
  ): Promise<Exchange> {
    const { name, protocol, deps } = this.#options;
    const timeouts = this.#timeouts(context);
    const plain: TransportRequest = {
      url: this.#url(operation, encoded.wireModel),
      method: "POST",
      headers: this.#headers(request, operation, encoded),
      body: encoded.body,
      signal: guard.signal,
      connectTimeoutMs: timeouts.connect * 1000,
      ...(this.#options.tls === undefined ? {} : { tls: this.#options.tls }),
    };
    // A key may come from a token service or a user's program; neither may delay an abort.
    const authorized = await guard.race(this.#options.auth(plain)).catch((cause: unknown) => {
      throw failureOf(
        cause,
        (reason) => new CredentialError(`${name}: the credential could not be obtained: ${reason}`, { cause }),
      );
    });
    const secrets = secretsOf(plain, authorized);
    const response = await deps.fetch(authorized).catch((cause: unknown) => {
      throw failureOf(cause, () => networkError(new URL(plain.url).origin, cause));
    });
    if (response.status < 200 || response.status > 299) throw await this.#failure(response, secrets);
    const origin = { provider: name, model: request.model };
    const rateLimit = rateLimitOf(response.headers, deps.now());
    return {
      response,
      decoder: protocol.decoder({ provider: name, model: request.model, origin, request, newId: deps.uuid }),
      framing: protocol.framing.kind,
      sink: {
        provider: name,
        model: request.model,
        origin,
        newId: deps.uuid,
        warnings: encoded.warnings,
        clean: (error) => redactError(error, secrets),
        ...(context.signal === undefined ? {} : { signal: context.signal }),
        ...(rateLimit === undefined ? {} : { rateLimit }),
      },
      guard,
      timeouts,
    };
  }

  #url(operation: Operation | "compact", wireModel: string): string {
    const { endpoint, compactEndpoint = endpoint, baseUrl } = this.#options;
    if (operation === "compact") return compactEndpoint({ operation: "complete", wireModel, baseUrl });
    return endpoint({ operation, wireModel, baseUrl });
  }

  /** The encoding that `segments` made of the same request just before, or a new one. */
  #prepare(request: Request, operation: Operation | "compact"): EncodedRequest | Promise<EncodedRequest> {
    const prepared = operation === "stream" ? this.#prepared.get(request) : undefined;
    // Returned only once: a host may keep its requests, and they must not keep their bodies in memory.
    this.#prepared.delete(request);
    if (prepared?.length === request.messages.length) return prepared.encoded;
    const resolving = this.#resolver.resolve(request.messages);
    if (!(resolving instanceof Promise)) return this.#encode(request, resolving, operation);
    return resolving.then((resolved) => this.#encode(request, resolved, operation));
  }

  #encode(
    request: Request,
    { messages, growing }: ResolvedMessages,
    operation: Operation | "compact",
    disableStrictTools = this.#options.disableStrictTools,
  ): EncodedRequest {
    const { name, protocol, baseUrl } = this.#options;
    const model = this.#model(request.model);
    return protocol.encode({
      request: { ...request, messages },
      growing,
      operation,
      provider: name,
      model,
      baseUrl,
      cacheRetention: this.#retention(request, model),
      segments: this.#segments,
      options: disableStrictTools === undefined ? {} : { disableStrictTools },
    });
  }

  /** Later entries win: protocol, provider, model row, transform. Auth comes after all of them. */
  #headers(request: Request, operation: Operation | "compact", encoded: EncodedRequest): Record<string, string> {
    const model = this.#model(request.model);
    const headers: Record<string, string> = {
      "user-agent": this.#options.userAgent ?? "lathe-llm/0.1.0",
      "content-type": "application/json",
      accept: operation === "stream" ? ACCEPT[this.#options.protocol.framing.kind] : "application/json",
    };
    for (const source of [encoded.headers, this.#options.defaultHeaders, model.headers])
      for (const [name, value] of Object.entries(source ?? {})) headers[name.toLowerCase()] = value;
    for (const transform of [this.#options.requestTransform, model.requestTransform]) {
      for (const name of transform?.stripHeaders ?? []) delete headers[name.toLowerCase()];
      for (const [name, value] of Object.entries(transform?.setHeaders ?? {}))
        if (value === null) delete headers[name.toLowerCase()];
        else headers[name.toLowerCase()] = value;
    }
    return headers;
  }

  async #failure(response: TransportResponse, secrets: readonly string[]) {
    const { name, deps } = this.#options;
    const { status, headers } = response;
    const body = await readText(response, MAX_ERROR_BODY, "as it came");
    return classifyHttpFailure({ provider: name, status, headers, body: redact(body, secrets), now: deps.now() });
  }

  #guard(context: CallContext): CallGuard {
    return new CallGuard(this.#options.name, this.#options.deps.setTimer, context.signal);
  }

  #timeouts({ timeout }: CallContext): AdapterTimeouts {
    return timeout === undefined ? this.#usualTimeouts : timeoutsOf(this.#options.timeouts, timeout);
  }

  #model(id: string): ModelInfo {
    // Not every caller has types.
    if (!id) throw new InvalidRequestError("The request names no model.", { provider: this.#options.name });
    return this.#options.model?.(id) ?? unknownModel(id, this.#options.name);
  }

  /** Taken from the request's option, model row, provider, environment (which can only say `long`), or the default. */
  #retention(request: Request, model: ModelInfo): CacheRetention {
    const { name, deps, cacheRetention } = this.#options;
    const requestedRetention = request.providerOptions?.[name]?.["cache_retention"];
    if (requestedRetention === "none" || requestedRetention === "short" || requestedRetention === "long")
      return requestedRetention;
    const configured = model.cacheRetention ?? cacheRetention;
    if (configured !== undefined) return configured;
    return deps.env["LATHE_CACHE_RETENTION"] === "long"
      ? "long"
      : (this.#options.protocol.defaultCacheRetention ?? "short");
  }
}

function timeoutsOf(...sources: readonly AdapterOptions["timeouts"][]): AdapterTimeouts {
  const chosen: Omit<AdapterTimeouts, "firstEvent"> & Some<Pick<AdapterTimeouts, "firstEvent">> = Object.assign(
    { ...DEFAULT_TIMEOUTS },
    ...sources.map(withoutUndefined),
  );
  return { ...chosen, firstEvent: chosen.firstEvent ?? chosen.request };
}

const ACCEPT = {
  sse: "text/event-stream",
  ndjson: "application/x-ndjson",
  "aws-event-stream": "application/vnd.amazon.eventstream",
} as const;

/** Errors of this package stay as they are; anything else that was thrown is classified here, at the boundary. */
function failureOf(error: unknown, classify: (reason: string, cause: unknown) => SDKError): SDKError {
  if (error instanceof SDKError) return error;
  return classify(error instanceof Error ? error.message : String(error), error);
}

const unexpectedError = (reason: string, cause: unknown): SDKError => new UnexpectedError(reason, { cause });

const toolsSegment = ({ segments }: EncodedRequest) => segments.find(({ kind }) => kind === "tools");

/** True if the vendor should enforce the arguments of some tools. */
function enforcesTools(encoded: EncodedRequest): boolean {
  return toolsSegment(encoded)?.text.includes('"strict":true') ?? false;
}

/** A key for a model and a set of tools. */
function toolsOf({ model }: Request, encoded: EncodedRequest): string {
  return `${model} ${toolsSegment(encoded)?.hash}`;
}
