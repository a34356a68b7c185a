// Everything that can go wrong on the wire, as data. `play.ts` carries it out.

export interface StatusFaultOptions {
  readonly message?: string;
  /** The vendor's error type or code; by default the usual one for the status. */
  readonly code?: string;
  /** Seconds, or a time (sent as an HTTP date). */
  readonly retryAfter?: number | Date;
  /** `retry-after-ms` header. */
  readonly retryAfterMs?: number;
  /** Google's `RetryInfo.retryDelay` detail, such as `"12s"`; other vendors ignore it. */
  readonly retryInfo?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Replaces the vendor's body, for example by a proxy's HTML page. */
  readonly body?: string;
}

export type Fault =
  | ({ readonly kind: "status"; readonly status: number } & StatusFaultOptions)
  | { readonly kind: "cut"; readonly at: CutPoint }
  /** An invalid line before event n. */
  | { readonly kind: "malformed"; readonly beforeEvent?: number; readonly line?: string }
  /** Announces `by` bytes more (fewer if negative) than it sends. */
  | { readonly kind: "wrong-length"; readonly by: number }
  /** Silence after n events (0: after the head) until the client disconnects. */
  | { readonly kind: "stall"; readonly afterEvents: number }
  /** Text deltas without end, until the client disconnects. */
  | { readonly kind: "endless" }
  | { readonly kind: "duplicate-terminal" }
  | { readonly kind: "missing-terminal" }
  /** The vendor's own error event after n events of a valid stream. */
  | {
      readonly kind: "stream-error";
      readonly afterEvents?: number;
      readonly error?: StreamErrorKind;
      readonly message?: string;
    };

export type StreamErrorKind = "overloaded" | "rate_limit" | "server" | "invalid" | "context_length";

/** Where the connection is reset: before the status line, after it, or inside the body. */
export type CutPoint =
  | "before-head"
  | "after-head"
  | "after-first-byte"
  | "inside-json"
  | { readonly bytes: number }
  | { readonly events: number };
