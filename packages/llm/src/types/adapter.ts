// The stability contract between the client and everything that talks to a vendor.

import type { StreamEvent } from "./events.ts";
import type { Message } from "./message.ts";
import type { Request, ToolChoiceMode } from "./request.ts";
import type { Response } from "./response.ts";
import type { Some } from "./some.ts";

/** What a client needs from a vendor. Write your own, or make one with `createAdapter`. */
export interface ProviderAdapter {
  readonly name: string;
  complete(request: Request, context: CallContext): Promise<Response>;
  /**
   * Lazy: the request starts with the first `next()`. A failure before the first event is thrown there; later ones are
   * events.
   */
  stream(request: Request, context: CallContext): AsyncIterable<StreamEvent>;
  /**
   * The cache-relevant prefix of the body that `stream` would send. Sends nothing. It ends before the first message
   * whose media no request has read yet.
   */
  segments?(request: Request): readonly Segment[];
  /**
   * Bytes of the body that `stream` would send. Sends nothing, but reads the media, so that `segments` is complete
   * afterwards.
   */
  bodyBytes?(request: Request): Promise<number | undefined>;
  countTokens?(request: Request, context: CallContext): Promise<number>;
  /**
   * A shorter form of the messages, made by the vendor, that means the same to its models: unknown parts of the answer.
   * Absent if the vendor has no such form.
   */
  compact?(request: Request, context: CallContext): Promise<Response>;
  supportsToolChoice?(mode: ToolChoiceMode): boolean;
  /**
   * Opens a connection while the caller is still busy, because a request follows soon. Sends nothing and never throws.
   */
  prepare?(): void;
  /** Runs at registration; may only validate the configuration. */
  initialize?(): Promise<void>;
  close?(): Promise<void>;
}

/** Options of one call that are not part of its request. */
export interface CallContext {
  readonly signal?: AbortSignal | undefined;
  /** Overrides the adapter's timeouts for this call. */
  readonly timeout?: Some<AdapterTimeouts> | undefined;
}

/**
 * Seconds. `firstEvent` limits the wait for the first byte of a stream, `streamRead` the silence between two. 0 = none.
 */
export interface AdapterTimeouts {
  readonly connect: number;
  readonly request: number;
  readonly firstEvent: number;
  readonly streamRead: number;
}

/**
 * One piece of the prompt prefix in wire form (tools, system, or one message), without cache markers and parameters.
 * Encoding the same message object twice gives the same Segment object.
 */
export interface Segment {
  readonly kind: "tools" | "system" | "message";
  /** UTF-8 JSON text. */
  readonly text: string;
  /** Hex digest of `text`. */
  readonly hash: string;
  readonly bytes: number;
  /** The message that this encodes, with its media read; absent for tools, system text and additions of the encoder. */
  readonly message?: Message | undefined;
}

/** Everything that the package would otherwise take from the machine. */
export interface ClientDeps {
  readonly now: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly setTimer: (callback: () => void, ms: number) => { cancel(): void };
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly uuid: () => string;
  /** Reads what settings name: certificates and credentials. And media, if there is no `readMedia`. */
  readonly readFile: (path: string) => Promise<Uint8Array>;
  /** Reads the files that messages name, such as pictures. A server passes one that refuses what its clients name. */
  readonly readMedia?: ((path: string) => Promise<Uint8Array>) | undefined;
  readonly homeDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly fetch: Transport;
}

/** All HTTP goes through this function. Never rejects because of a status; rejects only with an SDKError. */
export interface Transport {
  (request: TransportRequest): Promise<TransportResponse>;
  /** Opens a connection for the next request to that server and sends nothing. The request reports any error. */
  prepare?(destination: Pick<TransportRequest, "url" | "tls">): void;
  /** Drops idle connections. */
  close?(): void;
}

/** Text, or text already encoded as UTF-8. */
export type BodyPiece = string | Uint8Array;

/** One HTTP request, ready to be sent. */
export interface TransportRequest {
  readonly url: string;
  readonly method: "GET" | "POST" | "PUT";
  readonly headers: Readonly<Record<string, string>>;
  /** Pieces of the body, sent in order; the transport computes content-length. */
  readonly body?: readonly BodyPiece[] | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for TCP and TLS. */
  readonly connectTimeoutMs?: number | undefined;
  readonly tls?: TlsMaterial | undefined;
  /**
   * The request must not be sent twice, for example because it exchanges a code for a token. Other requests use an idle
   * connection if there is one, and are sent again on a new one if that turns out to be dead.
   */
  readonly once?: boolean | undefined;
  /** Called when the request has been passed to the system, and once more if it is sent again. */
  readonly sent?: (() => void) | undefined;
}

/** The response as it begins to arrive. */
export interface TransportResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Decompressed bytes. `return()` closes the socket. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Certificates of a request as PEM texts: additional authorities, and a client certificate with its key. */
export interface TlsMaterial {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}
