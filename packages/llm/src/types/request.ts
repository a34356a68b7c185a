import type { JsonObject, JsonSchema } from "./json.ts";
import type { CacheControl, Message } from "./message.ts";

/** One serialisable input for `complete` and `stream`. */
export interface Request {
  readonly model: string;
  readonly messages: readonly Message[];
  /** Registered provider name; the client's default when absent. Never derived from the model string. */
  readonly provider?: string;
  readonly tools?: readonly ToolDefinition[];
  readonly toolChoice?: ToolChoice;
  readonly responseFormat?: ResponseFormat;
  readonly temperature?: number;
  readonly topP?: number;
  readonly maxTokens?: number;
  readonly stopSequences?: readonly string[];
  /** `low|medium|high` are portable; others pass through and are clamped by catalog data. Absent: not sent. */
  readonly reasoningEffort?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  /** Keyed by provider name; keys inside keep the vendor's spelling. */
  readonly providerOptions?: Readonly<Record<string, JsonObject>>;
}

export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON Schema with root type `object`. */
  readonly parameters: JsonSchema;
  /** `custom`: free-form text input where the protocol has it (OpenAI Responses), else a `{input: string}` function. */
  readonly type?: "function" | "custom";
  /** Grammar for custom tools, as the vendor spells it. */
  readonly format?: JsonObject;
  readonly cacheControl?: CacheControl;
}

export type ToolChoice =
  | { readonly mode: "auto" | "none" | "required" }
  | { readonly mode: "named"; readonly toolName: string };
export type ToolChoiceMode = ToolChoice["mode"];

export type ResponseFormat =
  | { readonly type: "text" | "json" }
  | {
      readonly type: "json_schema";
      readonly jsonSchema: JsonSchema;
      readonly name?: string;
      readonly strict?: boolean;
    };
