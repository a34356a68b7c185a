// What goes over a wire before it is bytes: the events of a stream, and how a vendor tells them apart.

export type Framing = "sse" | "ndjson" | "aws" | "json-array";

/** One event of a stream before framing. */
export interface StreamPart {
  /** SSE `event:` line, or the AWS `:event-type`. */
  readonly event?: string;
  /** A string goes out as it is (`[DONE]`); anything else as JSON. */
  readonly data: unknown;
  readonly terminal?: boolean;
  /** A text delta: may be repeated for an endless stream. */
  readonly repeatable?: boolean;
  /** AWS exception frame instead of an event frame. */
  readonly exception?: string;
}
