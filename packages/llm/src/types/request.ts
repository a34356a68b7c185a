import type { JsonObject, JsonSchema } from "./json.ts";
import type { CacheControl, Message } from "./message.ts";

/** One serialisable input for `complete` and `stream`. */
export interface Request {
  readonly model: string;
  readonly messages: readonly Message[];
  /** Registered provider name; the client's default when absent. Never derived from the model string. */
  readonly provider?: string | undefined;
  readonly tools?: readonly ToolDefinition[] | undefined;
  readonly toolChoice?: ToolChoice | undefined;
  readonly responseFormat?: ResponseFormat | undefined;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly maxTokens?: number | undefined;
  readonly stopSequences?: readonly string[] | undefined;
  /** `low|medium|high` are portable; others pass through and are clamped with catalog data. Not sent when absent. */
  readonly reasoningEffort?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Keyed by provider name; the keys inside have the vendor's spelling. */
  readonly providerOptions?: Readonly<Record<string, JsonObject>> | undefined;
}

/** A tool as the model sees it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON Schema with root type `object`. */
  readonly parameters: JsonSchema;
  /**
   * `custom`: free-form text input if the protocol supports it (OpenAI Responses), otherwise a `{input: string}`
   * function.
   */
  readonly type?: "function" | "custom" | undefined;
  /** Grammar for custom tools in the vendor's spelling. */
  readonly format?: JsonObject | undefined;
  readonly cacheControl?: CacheControl | undefined;
}

/** Whether the model may, must or must not call a tool, or which one. */
export type ToolChoice =
  | { readonly mode: "auto" | "none" | "required" }
  | { readonly mode: "named"; readonly toolName: string };

/** The modes of a tool choice. */
export type ToolChoiceMode = ToolChoice["mode"];

/** The required form of the answer. */
export type ResponseFormat =
  | { readonly type: "text" | "json" }
  | {
      readonly type: "json_schema";
      readonly jsonSchema: JsonSchema;
      readonly name?: string | undefined;
      readonly strict?: boolean | undefined;
    };
