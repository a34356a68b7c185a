// A vendor's API consists of four independent values: a Protocol (request body and stream state machine), an Endpoint
// (which URL), an Auth (which headers) and a Framing (bytes to events). A provider is a row of data that combines them.

import type { BodyPiece, Segment, TransportRequest } from "./adapter.ts";
import type { SDKError } from "./errors.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import type { Origin, ThinkingData } from "./message.ts";
import type { CacheRetention, ModelInfo } from "./model.ts";
import type { Request, ToolChoiceMode } from "./request.ts";
import type { FinishReason, Usage, Warning } from "./response.ts";

/** What an adapter can ask of a vendor. */
export type Operation = "complete" | "stream" | "count_tokens";

/** A wire format: how to write a request and read an answer. */
export interface Protocol {
  readonly name: string;
  readonly framing: Framing;
  readonly toolChoiceModes: readonly ToolChoiceMode[];
  /** Limits on inline media, checked before anything is sent. Absent: the common image types up to 20 MB. */
  readonly media?: MediaRules | undefined;
  /** Used if nothing else is configured; `short` when absent. */
  readonly defaultCacheRetention?: CacheRetention | undefined;
  /** Pure: the same input gives the same bytes. Throws InvalidRequestError for anything that it cannot express. */
  encode(input: EncodeInput): EncodedRequest;
  /** Makes a state machine for one response. */
  decoder(context: DecodeContext): ResponseDecoder;
}

/** Which inline media a vendor accepts. */
export interface MediaRules {
  /** Image MIME types in addition to png, jpeg, gif and webp. */
  readonly extraImageTypes?: readonly string[] | undefined;
  /** Bytes of one inline image as sent; after base64 encoding if `countsBase64`. */
  readonly maxImageBytes?: number | undefined;
  readonly countsBase64?: boolean | undefined;
}

/** Everything that the encoding of a request depends on. */
export interface EncodeInput {
  readonly request: Request;
  /** `compact` only for protocols whose vendor has an endpoint for it. */
  readonly operation: Operation | "compact";
  /** Provider name under which the request runs; decides about providerOptions and about which thinking is its own. */
  readonly provider: string;
  /** Catalog row, or conservative defaults for an unknown id. */
  readonly model: ModelInfo;
  readonly baseUrl: string;
  readonly cacheRetention: CacheRetention;
  /** Caches encodings per message object; owned by the adapter. */
  readonly segments: SegmentCache;
  /** True if `request.messages`, while it is the same object, only grows at its end and need not be compared again. */
  readonly growing?: boolean | undefined;
  /** Provider-level switches that are not part of the model row. */
  readonly options: { readonly disableStrictTools?: boolean | undefined };
}

/** A request in wire form. */
export interface EncodedRequest {
  /** Pieces whose concatenation is the JSON body, cache markers included. */
  readonly body: readonly BodyPiece[];
  /** The same prefix without markers and parameters, for the guard. */
  readonly segments: readonly Segment[];
  readonly headers: Readonly<Record<string, string>>;
  readonly warnings: readonly Warning[];
  /** The model id in the URL or body. */
  readonly wireModel: string;
}

/** Remembers a derived value per object, so that a message is encoded once per protocol, model and variant. */
export interface SegmentCache {
  get<T>(owner: object, variant: string, make: () => T): T;
}

/** What a decoder knows about its answer. */
export interface DecodeContext {
  readonly provider: string;
  readonly model: string;
  /** Put on thinking and signatures, so that they are sent back only to where they came from. */
  readonly origin: Origin;
  readonly request: Request;
  readonly newId: () => string;
}

/** Reads one answer and reports what it sees to a sink. */
export interface ResponseDecoder {
  /** One framed event of a stream. */
  event(frame: Frame, out: BlockSink): void;
  /** The body of a non-streamed answer, or a whole stream that came as one JSON document. */
  body(body: JsonValue, out: BlockSink): void;
  /**
   * The connection ended. Must call `out.done()` if the answer is complete; otherwise the driver reports an early end.
   */
  end(out: BlockSink): void;
}

/** What is known when an answer begins. */
export interface StreamStart {
  readonly id?: string | undefined;
  readonly model?: string | undefined;
  /** What a vendor charges from the start, even if no caller waits for the end. */
  readonly usage?: Partial<Usage> | undefined;
}

/**
 * Receives what a decoder sees and enforces the event grammar: opens, appends, closes, builds the Response. Blocks are
 * addressed by a position key that the decoder chooses (index, output_index), never by the vendor's ids.
 */
export interface BlockSink {
  start(info: StreamStart): void;
  restart(info: StreamStart): void;
  /** Opens on first use. */
  text(key: string, delta: string): void;
  endText(key: string, extra?: { signature?: string | undefined; text?: string | undefined }): void;
  reasoning(key: string, delta: string): void;
  endReasoning(key: string, extra?: Partial<ThinkingData> & { itemId?: string | undefined }): void;
  toolCall(
    key: string,
    call: { id?: string | undefined; name?: string | undefined; type?: "function" | "custom" | undefined },
  ): void;
  toolArguments(key: string, fragment: string): void;
  /**
   * `arguments` replaces the streamed ones (for vendors that send them only at the end); `id` corrects an id that
   * changed meanwhile.
   */
  endToolCall(
    key: string,
    extra?: {
      arguments?: string | undefined;
      id?: string | undefined;
      signature?: string | undefined;
      itemId?: string | undefined;
    },
  ): void;
  /** An item that we do not model: kept in the message and passed on as provider_event. */
  unknown(raw: JsonValue): void;
  providerEvent(raw: JsonValue): void;
  /** Merged field by field; later values replace earlier ones. */
  usage(usage: Partial<Usage> & { raw?: JsonObject | undefined }): void;
  warn(warning: Warning): void;
  finishReason(reason: FinishReason): void;
  raw(raw: JsonValue): void;
  /** Terminal. Ignored after the first terminal call. */
  finish(): void;
  fail(error: SDKError): void;
}

/** How bytes become frames. */
export type FramingKind = "sse" | "ndjson" | "aws-event-stream";

/** How to split the bytes of a protocol into frames. */
export interface Framing {
  readonly kind: FramingKind;
}

/** One event as it came. */
export interface Frame {
  /** SSE `event:` or the AWS `:event-type`. */
  readonly event?: string | undefined;
  readonly data: string;
  /** AWS `:exception-type`. */
  readonly exception?: string | undefined;
}

/** Splits the bytes of an answer into frames. */
export interface Framer {
  push(bytes: Uint8Array): void;
  /** The connection ended: the rest may be a last frame without its terminator. */
  end(): void;
}

/** The URL of an operation. */
export type Endpoint = (input: { operation: Operation; wireModel: string; baseUrl: string }) => string;

/** Adds credentials. This is the last step before sending; its output is never logged. */
export type Auth = (request: TransportRequest) => Promise<TransportRequest>;
