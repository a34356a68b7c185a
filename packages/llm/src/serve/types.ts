// What a server needs to answer the clients of a vendor in that vendor's wire format: the inverse of a Protocol.
// Nothing is passed through: a request is read into ours, and we write every byte of an answer. Pure: no clock, no
// random numbers, no sockets.
//
// A server does this: parse the JSON, `format.decode`, choose the model, `fitRequest(served, format, target)`,
// `format.encoder`, then either `push` for each event of the stream or `whole` for the answer. Failures before the first
// byte go through `format.error`, later ones through `encoder.fail`. `warningHeaders(dropped)` says what was omitted,
// `largestAnswer(request, model)` how long an answer may be.

import type { SDKError } from "../types/errors.ts";
import type { StreamEvent } from "../types/events.ts";
import type { Api, ModelInfo } from "../types/model.ts";
import type { Request } from "../types/request.ts";
import type { Response } from "../types/response.ts";

/** A wire format that a server speaks with its clients. */
export type FormatName = "chat" | "messages" | "responses" | "stream";

/** One wire format, both ways. */
export interface ServedFormat {
  readonly name: FormatName;
  /** Where its clients POST their requests. */
  readonly path: string;
  /** The header in which its clients look for a request's id. */
  readonly requestIdHeader: string;
  /** Text that keeps a silent stream open. */
  readonly ping: string;
  /** Reads the parsed JSON of a body, whatever it is. Never throws. */
  decode(body: unknown): Decoded;
  /** Makes the encoder for one answer. */
  encoder(context: AnswerContext): AnswerEncoder;
  /** The response for a request that failed before the first byte. */
  error(failure: SDKError | Refusal, requestId?: string): ServedError;
}

/** A client's request in our form, or the reason for refusing it. */
export type Decoded =
  | { readonly kind: "request"; readonly served: ServedRequest }
  | { readonly kind: "refused"; readonly refusal: Refusal };

/** What a client asks for. */
export interface ServedRequest {
  /** `model` is the client's name for it; `fitRequest` sets `provider`. */
  readonly request: Request;
  readonly stream: boolean;
  readonly wishes: Wishes;
  /** Parts that were omitted, for the warning header. */
  readonly dropped: readonly Dropped[];
}

/** Parameters without a field in our requests; `fitRequest` passes them to providers that accept them. */
export interface Wishes {
  readonly parallelCalls?: boolean | undefined;
  readonly topK?: number | undefined;
  readonly seed?: number | undefined;
  readonly frequencyPenalty?: number | undefined;
  readonly presencePenalty?: number | undefined;
  readonly verbosity?: string | undefined;
  /** Tokens that the client allows for thinking, in Anthropic's terms. */
  readonly thinkingBudget?: number | undefined;
  /** Chat Completions: add a last chunk with the usage. */
  readonly includeUsage?: boolean | undefined;
}

/** A part of a request that was not sent on. */
export interface Dropped {
  /** A word from our own list, never the client's text. */
  readonly what: string;
  readonly why: string;
}

/** Why a server does not do what its client asks. */
export interface Refusal {
  readonly kind: RefusalKind;
  /** A sentence for people, with the next step. */
  readonly message: string;
  /** The field that caused it, as the client spells it. */
  readonly field?: string | undefined;
  /** A code for programs, such as `budget_exceeded`. */
  readonly code?: string | undefined;
  /** Seconds. */
  readonly retryAfter?: number | undefined;
}

/** Kinds of refusals: each has one status, and a word in each format. */
export type RefusalKind =
  | "invalid"
  | "unauthenticated"
  | "forbidden"
  | "not_found"
  | "too_large"
  | "quota"
  | "rate_limit"
  | "overloaded"
  | "timeout"
  | "internal";

/** Which model a request goes to. */
export interface Target {
  /** The provider under which the client runs it. */
  readonly provider: string;
  readonly api: Api;
  readonly model: ModelInfo;
}

/** What an encoder needs to know about its answer. */
export interface AnswerContext {
  /** As `fitRequest` returned it. */
  readonly served: ServedRequest;
  readonly target: Target;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Letters and digits, never the same twice. */
  readonly newId: () => string;
}

/** Writes one answer as text for a UTF-8 body; "" if the format has nothing to write. */
export interface AnswerEncoder {
  /** Writes the next event. After the terminal one, everything is "". */
  push(event: StreamEvent): string;
  /** Ends a stream that has begun; "" if it is over. */
  fail(failure: SDKError | Refusal): string;
  /** Whether the last text has been written. */
  readonly isOver: boolean;
  /** The body of an answer that is not streamed. Throws a StreamError if the vendor ended the answer with an error. */
  whole(response: Response): string;
}

/** An HTTP response that says why there is no answer. */
export interface ServedError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
