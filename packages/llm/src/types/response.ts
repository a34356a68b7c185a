import type { JsonObject, JsonValue } from "./json.ts";
import type { Message } from "./message.ts";

/** One whole answer. */
export interface Response {
  readonly id: string;
  /** The model that the vendor reports, not the requested one. */
  readonly model: string;
  readonly provider: string;
  readonly message: Message;
  readonly finishReason: FinishReason;
  readonly usage: Usage;
  readonly warnings: readonly Warning[];
  readonly rateLimit?: RateLimitInfo | undefined;
  /** Parsed vendor body, or the raw terminal objects of a stream. */
  readonly raw?: JsonValue | undefined;
  /** Accessors over `message`. */
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly reasoning?: string | undefined;
}

/** A call of a tool with its arguments. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject;
  readonly rawArguments?: string | undefined;
}

/** Why an answer ended. */
export interface FinishReason {
  readonly reason: "stop" | "length" | "tool_calls" | "content_filter" | "error" | "other";
  /** The vendor's own word. */
  readonly raw?: string | undefined;
}

/** The vendor's counts under our names (`promptTokens` and `billedOutputTokens` are comparable between vendors). */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
  readonly reasoningTokens?: number | undefined;
  readonly cacheReadTokens?: number | undefined;
  readonly cacheWriteTokens?: number | undefined;
  /** Names of fields that are our estimate, not the vendor's count. */
  readonly estimated?: readonly string[] | undefined;
  readonly raw?: JsonObject | undefined;
}

/** A part of the request that could not be sent as requested. */
export interface Warning {
  readonly message: string;
  readonly code?: string | undefined;
}

/** What is left of the vendor's limits. */
export interface RateLimitInfo {
  readonly requestsRemaining?: number | undefined;
  readonly requestsLimit?: number | undefined;
  readonly tokensRemaining?: number | undefined;
  readonly tokensLimit?: number | undefined;
  readonly resetAt?: Date | undefined;
}
