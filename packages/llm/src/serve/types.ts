// What a server needs to answer the clients of a vendor in that vendor's wire format: the inverse of a Protocol. Nothing is passed
// through: a request is read into ours, every byte of an answer is written here. Pure: no clock, no random numbers, no sockets.
//
// A server goes: parse the JSON, `format.decode`, choose the model, `fitRequest(served, format, target)`, `format.encoder`, then either
// `push` for each event of the stream or `whole` for the answer. Failures before the first byte go through `format.error`, later ones
// through `encoder.fail`. `warningHeaders(dropped)` says what was left out, `largestAnswer(request, model)` how long an answer may be.

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
  /** Where its clients send requests with POST. */
  readonly path: string;
  /** The header in which its clients look for the id of a request. */
  readonly requestIdHeader: string;
  /** Keeps a silent stream open. */
  readonly ping: string;
  /** Reads the parsed JSON of a body, whatever it is. Never throws. */
  decode(body: unknown): Decoded;
  /** For one answer. */
  encoder(context: AnswerContext): AnswerEncoder;
  /** The answer to a request that failed before the first byte. */
  error(failure: SDKError | Refusal, requestId?: string): ServedError;
}

/** A request of a client in our words, or why there is none. */
export type Decoded =
  | { readonly kind: "request"; readonly served: ServedRequest }
  | { readonly kind: "refused"; readonly refusal: Refusal };

/** What a client asks for. */
export interface ServedRequest {
  /** `model` is the client's word for it; `provider` is set by `fitRequest`. */
  readonly request: Request;
  readonly stream: boolean;
  readonly wishes: Wishes;
  /** What was left out, for the warning header. */
  readonly dropped: readonly Dropped[];
}

/** Parameters that no field of a request stands for; `fitRequest` gives them to the providers that take them. */
export interface Wishes {
  readonly parallelCalls?: boolean | undefined;
  readonly topK?: number | undefined;
  readonly seed?: number | undefined;
  readonly frequencyPenalty?: number | undefined;
  readonly presencePenalty?: number | undefined;
  readonly verbosity?: string | undefined;
  /** Tokens that the client allows for thinking, as Anthropic takes them. */
  readonly thinkingBudget?: number | undefined;
  /** Chat Completions: a last chunk with the usage. */
  readonly includeUsage?: boolean | undefined;
}

/** Something of a request that was not sent on. */
export interface Dropped {
  /** A word of our own list, never the client's text. */
  readonly what: string;
  readonly why: string;
}

/** Why a server does not do what its client asks. */
export interface Refusal {
  readonly kind: RefusalKind;
  /** A sentence for people, with the next step. */
  readonly message: string;
  /** The field that is to blame, as the client spells it. */
  readonly field?: string | undefined;
  /** A word for programs, such as `budget_exceeded`. */
  readonly code?: string | undefined;
  /** Seconds. */
  readonly retryAfter?: number | undefined;
}

/** What the reasons of a refusal have in common: each has one status, and a word in each format. */
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

/** What an encoder knows of its answer. */
export interface AnswerContext {
  /** As `fitRequest` returned it. */
  readonly served: ServedRequest;
  readonly target: Target;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Letters and digits, never twice the same. */
  readonly newId: () => string;
}

/** Writes one answer. Text of a body of UTF-8; "" when the format has nothing to say. */
export interface AnswerEncoder {
  /** The next event. After the terminal one everything is "". */
  push(event: StreamEvent): string;
  /** Ends a stream that has begun; "" when it is over. */
  fail(failure: SDKError | Refusal): string;
  /** Whether the last text has been written. */
  readonly isOver: boolean;
  /** The body of an answer that is not streamed. Throws the StreamError of an answer that the vendor ended with an error. */
  whole(response: Response): string;
}

/** An HTTP answer that says why there is no other. */
export interface ServedError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
