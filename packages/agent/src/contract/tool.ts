// What a tool is. A tool is a face over an op: name, schema, description and result format; the work is in ../ops.

import type { ImageData, JsonObject, JsonSchema, JsonValue } from "@lathe/llm";
import type { ExecutionEnvironment, OutputSpill } from "../env/types.ts";

/** What a call may do to the world, for permissions. */
export type Tier = "read" | "write" | "exec" | "network";

export interface ToolDef<Args = JsonObject> {
  readonly name: string;
  /** For people. */
  readonly label: string;
  /** For the model. */
  readonly description: string;
  readonly schema: JsonSchema;
  readonly tier: Tier | ((args: Args) => Tier);
  /** `safe`: may run again after a crash. `never`: an interrupted call is answered "interrupted, effects unknown". */
  readonly replay: "safe" | "never";
  /** Services without which the tool is not offered. */
  readonly needs?: readonly (keyof ToolServices)[];
  /** Works on the session alone (its facts, its children, its user): a replay runs it instead of taking a recorded result. */
  readonly sessionOnly?: boolean;
  /** Serialised inside a batch. */
  readonly exclusive?: boolean;
  /** Deadline of the call; the session's default when absent, 0 = none (the tool keeps its own). */
  readonly timeoutMs?: number;
  execute(args: Args, context: ToolContext): Promise<ToolResult | string> | ToolResult | string;
}

export interface ToolContext {
  readonly callId: string;
  readonly env: ExecutionEnvironment;
  readonly signal: AbortSignal;
  /** Live output for events; the model sees only the result. */
  readonly onOutput: (chunk: string, stream: "stdout" | "stderr") => void;
  /** Opens an artifact for output that does not fit in memory. */
  readonly openArtifact: (name: string) => ArtifactWriter;
  /** Milliseconds since the epoch, from the injected clock. */
  readonly now: () => number;
  /** The loop's own services (subagents, todo, questions, shown-file record); tools narrow it with their own guard. */
  readonly services: ToolServices;
}

/** Open by declaration merging: each service adds its optional key beside its own code. */
export interface ToolServices {
  /** The current model accepts images. */
  readonly vision: boolean;
}

export interface ArtifactWriter extends OutputSpill {
  readonly id: number;
  close(): Promise<ArtifactRef>;
}

export interface ArtifactRef {
  readonly id: number;
  readonly bytes: number;
}

export type ToolContent =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "image"; readonly image: ImageData };

export interface ToolResult {
  readonly content: readonly ToolContent[];
  /** Structured facts for hosts; never sent to the model. */
  readonly details?: JsonValue;
  readonly isError?: boolean;
  readonly effects?: "none" | "done" | "unknown";
  readonly artifact?: ArtifactRef;
}

/** Thrown by a tool for a failure the model should read as is (no "Tool error" prefix noise, no stack). */
export class ToolFailure extends Error {
  readonly details?: JsonValue;
  constructor(message: string, details?: JsonValue) {
    super(message);
    this.name = "ToolFailure";
    if (details !== undefined) this.details = details;
  }
}
