// The stability contract between the client and everything that talks to a vendor.

import type { StreamEvent } from "./events.ts";
import type { Message } from "./message.ts";
import type { Request, ToolChoiceMode } from "./request.ts";
import type { Response } from "./response.ts";
import type { Some } from "./some.ts";

/** What a client needs of a vendor. Write your own, or make one with `createAdapter`. */
export interface ProviderAdapter {
  readonly name: string;
  complete(request: Request, context: CallContext): Promise<Response>;
  /** Lazy: the request starts with the first `next()`. A failure before the first event throws there; later ones are events. */
  stream(request: Request, context: CallContext): AsyncIterable<StreamEvent>;
  /**
   * The cache-relevant prefix of the body that `stream` would send, without sending it. It ends before the first message
   * whose media no request has read yet.
   */
  segments?(request: Request): readonly Segment[];
  /** Bytes of the body that `stream` would send, without sending it. Reads its media, so that `segments` is complete afterwards. */
  bodyBytes?(request: Request): Promise<number | undefined>;
  countTokens?(request: Request, context: CallContext): Promise<number>;
  /**
   * The messages in a form of the vendor's own that is shorter and means the same to its models: unknown parts of the answer. Absent
   * where the vendor has no such thing.
   */
  compact?(request: Request, context: CallContext): Promise<Response>;
  supportsToolChoice?(mode: ToolChoiceMode): boolean;
  /** A request follows soon: opens the connection for it while the caller is still busy. Sends nothing, and never throws. */
  prepare?(): void;
  /** Runs at registration; may only validate configuration. */
  initialize?(): Promise<void>;
  close?(): Promise<void>;
}

/** What belongs to one call and not to its request. */
export interface CallContext {
  readonly signal?: AbortSignal | undefined;
  /** Overrides of the adapter's timeouts for this call. */
  readonly timeout?: Some<AdapterTimeouts> | undefined;
}

/** Seconds. `firstEvent` bounds the wait for the first byte of a stream, `streamRead` the silence between two. 0 = none. */
export interface AdapterTimeouts {
  readonly connect: number;
  readonly request: number;
  readonly firstEvent: number;
  readonly streamRead: number;
}

/**
 * One piece of the prompt prefix in wire form (tools, system, or one message), without cache markers and parameters.
 * The same message object encoded twice gives the identical Segment object.
 */
export interface Segment {
  readonly kind: "tools" | "system" | "message";
  /** UTF-8 JSON text. */
  readonly text: string;
  /** Hex digest of `text`. */
  readonly hash: string;
  readonly bytes: number;
  /** The message that this is the wire form of, its media read; absent for tools, for system text and for what the encoder adds. */
  readonly message?: Message | undefined;
}

/** Everything the package would otherwise take from the machine. */
export interface ClientDeps {
  readonly now: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly setTimer: (callback: () => void, ms: number) => { cancel(): void };
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly uuid: () => string;
  readonly readFile: (path: string) => Promise<Uint8Array>;
  readonly homeDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly fetch: Transport;
}

/** The one function all HTTP goes through. Never rejects on a status; rejects only with an SDKError. */
export interface Transport {
  (request: TransportRequest): Promise<TransportResponse>;
  /** Opens a connection for the next request to that server and sends nothing. Errors are left for the request to report. */
  prepare?(destination: Pick<TransportRequest, "url" | "tls">): void;
  /** Drops idle connections. */
  close?(): void;
}

/** Text, or text that was encoded to UTF-8 before. */
export type BodyPiece = string | Uint8Array;

/** One HTTP request, ready to be sent. */
export interface TransportRequest {
  readonly url: string;
  readonly method: "GET" | "POST" | "PUT";
  readonly headers: Readonly<Record<string, string>>;
  /** Pieces of the body, sent in order; the transport computes content-length. */
  readonly body?: readonly BodyPiece[] | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for TCP + TLS. */
  readonly connectTimeoutMs?: number | undefined;
  readonly tls?: TlsMaterial | undefined;
  /**
   * Never sent a second time: for what works once, such as a code for a token. Others go over a connection that has been idle
   * when there is one, and once more over a new one when that turns out to be dead.
   */
  readonly once?: boolean | undefined;
  /** Called when the request has been passed to the system; again when it is sent again. */
  readonly sent?: (() => void) | undefined;
}

/** The answer as it begins to arrive. */
export interface TransportResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Decompressed bytes. `return()` closes the socket. */
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * Certificates of a request, as PEM texts: authorities beside the built-in ones, and the own certificate with its
 * key.
 */
export interface TlsMaterial {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}
