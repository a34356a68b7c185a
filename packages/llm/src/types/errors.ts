// Every failure of this package is an SDKError. It is classified once, at the boundary where it appears; everything
// above only looks at the class, `retryable` and `kind`.

import type { JsonValue } from "./json.ts";
import type { Response } from "./response.ts";

/**
 * What a host can do about it; one word for logs, exit codes and tables. A closed list: wait (`rate_limit`, `overloaded`), find a
 * credential (`credential`: there was none to send) or give another one (`auth`: the vendor refused it), pay (`quota`), shorten (`overflow`), ask for something else (`refused`), change the request (`invalid`) or the
 * settings (`config`), look at the connection (`network`, `timeout`), nothing (`cancelled`), report it (`bug`).
 */
export type ErrorKind =
  | "rate_limit"
  | "overloaded"
  | "credential"
  | "auth"
  | "quota"
  | "overflow"
  | "refused"
  | "invalid"
  | "config"
  | "network"
  | "timeout"
  | "cancelled"
  | "bug";

/** The options of every error of this package. */
export interface ErrorOptions {
  readonly cause?: unknown | undefined;
  readonly retryable?: boolean | undefined;
}

/** The base of every error of this package. */
export abstract class SDKError extends Error {
  abstract readonly kind: ErrorKind;
  readonly retryable: boolean;
  constructor(message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.retryable = options.retryable ?? false;
  }
  /** Safe to log: no keys, no headers, no cause. */
  toJSON(): JsonValue {
    return { name: this.name, kind: this.kind, message: this.message, retryable: this.retryable };
  }
}

/** What is known about a failure that a vendor reported. */
export interface ProviderErrorOptions extends ErrorOptions {
  readonly provider: string;
  readonly statusCode?: number | undefined;
  readonly errorCode?: string | undefined;
  /** Seconds. */
  readonly retryAfter?: number | undefined;
  readonly requestId?: string | undefined;
  /** The vendor's body, cut to a limit. */
  readonly raw?: JsonValue | undefined;
}

/** A failure that the vendor reported; the subclasses say which. */
export class ProviderError extends SDKError {
  /** Whether a retry can help, if the class decides that. */
  static readonly retries: boolean | undefined = undefined;
  readonly kind: ErrorKind;
  readonly provider: string;
  readonly statusCode?: number;
  readonly errorCode?: string;
  readonly retryAfter?: number;
  readonly requestId?: string;
  readonly raw?: JsonValue;
  constructor(message: string, options: ProviderErrorOptions) {
    super(message, { ...options, retryable: new.target.retries ?? options.retryable ?? true });
    this.kind = unnamedKind(options.statusCode);
    this.provider = options.provider;
    if (options.statusCode !== undefined) this.statusCode = options.statusCode;
    if (options.errorCode !== undefined) this.errorCode = options.errorCode;
    if (options.retryAfter !== undefined) this.retryAfter = options.retryAfter;
    if (options.requestId !== undefined) this.requestId = options.requestId;
    if (options.raw !== undefined) this.raw = options.raw;
  }
  override toJSON(): JsonValue {
    return {
      ...(super.toJSON() as { [key: string]: JsonValue }),
      provider: this.provider,
      ...(this.statusCode === undefined ? {} : { statusCode: this.statusCode }),
      ...(this.errorCode === undefined ? {} : { errorCode: this.errorCode }),
      ...(this.retryAfter === undefined ? {} : { retryAfter: this.retryAfter }),
      ...(this.requestId === undefined ? {} : { requestId: this.requestId }),
    };
  }
}

/** The kind of a failure without a class of its own. A redirect means that the API is elsewhere. */
function unnamedKind(status = 500): ErrorKind {
  if (status < 400) return "config";
  return status < 500 ? "invalid" : "overloaded";
}

/** The credential is missing, wrong or has expired. */
export class AuthenticationError extends ProviderError {
  static override readonly retries = false;
  override readonly kind = "auth";
}

/** The credential is valid, but not for this. */
export class AccessDeniedError extends ProviderError {
  static override readonly retries = false;
  override readonly kind = "auth";
}

/** The model or address does not exist. */
export class NotFoundError extends ProviderError {
  static override readonly retries = false;
  override readonly kind = "invalid";
}

/** The request cannot be served as it is. */
export class InvalidRequestError extends ProviderError {
  static override readonly retries = false;
  override readonly kind = "invalid";
}

/** Too many requests or tokens for now; `retryAfter` says how long to wait, if the vendor did. */
export class RateLimitError extends ProviderError {
  static override readonly retries = true;
  override readonly kind = "rate_limit";
}

/** The vendor failed or is overloaded. */
export class ServerError extends ProviderError {
  static override readonly retries = true;
  override readonly kind = "overloaded";
}

/** The vendor refuses the content. */
export class ContentFilterError extends ProviderError {
  static override readonly retries = false;
  override readonly kind = "refused";
}

/** The conversation is longer than the model's window. */
export class ContextLengthError extends ProviderError {
  static override readonly retries = false;
  override readonly kind = "overflow";
}

/** The account has no credit or quota left; waiting does not help. */
export class QuotaExceededError extends ProviderError {
  static override readonly retries = false;
  override readonly kind = "quota";
}

/** Which wait took too long. */
export type TimeoutPhase = "connect" | "request" | "firstEvent" | "streamRead" | "total" | "perStep" | "server";

/** A wait took longer than its limit. */
export class RequestTimeoutError extends SDKError {
  readonly kind = "timeout";
  readonly phase: TimeoutPhase;
  readonly provider?: string;
  readonly statusCode?: number;
  /** What had been achieved when time ran out (high-level calls). */
  readonly partial?: unknown;
  constructor(
    message: string,
    options: ErrorOptions & { phase: TimeoutPhase; provider?: string; statusCode?: number; partial?: unknown },
  ) {
    super(message, options);
    this.phase = options.phase;
    if (options.provider !== undefined) this.provider = options.provider;
    if (options.statusCode !== undefined) this.statusCode = options.statusCode;
    if (options.partial !== undefined) this.partial = options.partial;
  }
}

/** The caller aborted the operation. */
export class AbortError extends SDKError {
  readonly kind = "cancelled";
}

/** No complete HTTP response arrived. */
export class NetworkError extends SDKError {
  readonly kind = "network";
  constructor(message: string, options: ErrorOptions = {}) {
    super(message, { retryable: true, ...options });
  }
}
/** Broken framing or JSON inside a 200 stream, or a stream that ended early. */
export class StreamError extends SDKError {
  readonly kind = "network";
  constructor(message: string, options: ErrorOptions = {}) {
    super(message, { retryable: true, ...options });
  }
}

/** A call names no tool, or its arguments do not match. */
export class InvalidToolCallError extends SDKError {
  readonly kind = "invalid";
}

/** The vendor does not know this tool choice. */
export class UnsupportedToolChoiceError extends SDKError {
  readonly kind = "invalid";
}

/** A setting, a key or an option is missing or cannot be used. */
export class ConfigurationError extends SDKError {
  readonly kind: ErrorKind = "config";
}

/** There is no usable credential. Detected here, before a vendor was asked. */
export class CredentialError extends ConfigurationError {
  override readonly kind = "credential";
}

/** A bug of this package, of an adapter or of a host's function threw something unexpected. The cause says which. */
export class UnexpectedError extends SDKError {
  readonly kind = "bug";
}

/** The answer is not an object that matches the schema. */
export class NoObjectGeneratedError extends SDKError {
  readonly kind = "invalid";
  readonly text: string;
  readonly response?: Response;
  /** JSON pointer of the first violation, if the JSON could be parsed. */
  readonly path?: string;
  constructor(message: string, options: ErrorOptions & { text: string; response?: Response; path?: string }) {
    super(message, options);
    this.text = options.text;
    if (options.response !== undefined) this.response = options.response;
    if (options.path !== undefined) this.path = options.path;
  }
}

const classes = {
  ProviderError,
  AuthenticationError,
  AccessDeniedError,
  NotFoundError,
  InvalidRequestError,
  RateLimitError,
  ServerError,
  ContentFilterError,
  ContextLengthError,
  QuotaExceededError,
  RequestTimeoutError,
  AbortError,
  NetworkError,
  StreamError,
  InvalidToolCallError,
  UnsupportedToolChoiceError,
  ConfigurationError,
  CredentialError,
  UnexpectedError,
  NoObjectGeneratedError,
};
// Hosts distinguish errors by name, and a bundler may shorten the names of classes.
for (const [name, errorClass] of Object.entries(classes)) Object.defineProperty(errorClass, "name", { value: name });
