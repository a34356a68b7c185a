// What a tool is. A tool is a face over an op: name, schema, description and result format; the work is in ../ops. A call
// declares its meaning: what it will touch (`access`), what a person approves (`preview`), how much of its output is kept
// (`output`). Nothing outside a tool's folder knows its name or arguments.

import type { ImageData, JsonObject, JsonSchema, JsonValue } from "@lathe/llm";
import type { BlobStore } from "../blobs/store.ts";
import type { ExecutionEnvironment, OutputSpill } from "../env/types.ts";
import type { CallPaths } from "../paths/call-paths.ts";
import type { OutputLimit } from "../truncate/limits.ts";
import type { FileChange } from "./changes.ts";

/** What a call may do to the world, for permissions. */
export type Tier = "read" | "write" | "exec" | "network";

/** One thing that a call will touch. Paths are absolute and real: links are followed, and the op opens this very path. */
export type Access =
  | { readonly kind: "read" | "write"; readonly path: string }
  | { readonly kind: "exec"; readonly command: string; readonly cwd: string }
  | { readonly kind: "network"; readonly host: string }
  /** An address of a registered scheme, such as artifact://3: its resolver opens it, not the environment. */
  | { readonly kind: "address"; readonly url: string; readonly write: boolean };

/** What a person is shown before they allow a call. */
export interface Preview {
  readonly lines: readonly PreviewLine[];
  /** Arguments that the lines show in full; the session adds the others. */
  readonly shows: readonly string[];
  /** Names the planned changes: the commit fails with `PlanChanged` when it would make others. */
  readonly plan?: string;
}

export interface PreviewLine {
  readonly text: string;
  readonly kind?: "heading" | "added" | "removed" | "note";
}

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
  /**
   * What the call will touch, all of it. Runs after the last rewrite of the arguments and before approval. Without it,
   * a call above tier `read` needs approval.
   */
  access?(args: Args, scope: CallScope): Promise<readonly Access[]> | readonly Access[];
  /** The call in one line, for cards and transcripts. Must not throw for arguments that do not fit the schema. */
  summary?(args: Args): string;
  /** What people approve, made from what the call will do. Every argument in full when absent. */
  preview?(args: Args, scope: CallScope): Promise<Preview> | Preview;
  /** How much of the output the model sees, unless the session's configuration says otherwise. */
  readonly output?: OutputLimit;
  /** What the tool and its other faces give, under one name, so that a host can leave all of them out. */
  readonly feature?: string;
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

/** What a call works with, from `access` to its end. */
export interface CallScope {
  readonly env: ExecutionEnvironment;
  readonly signal: AbortSignal;
  /** Resolves each path of the call once, so that what was judged is what is opened. */
  readonly paths: CallPaths;
  /** The loop's own services (subagents, todo, questions, shown-file record); tools narrow it with their own guard. */
  readonly services: ToolServices;
}

export interface ToolContext extends CallScope {
  readonly callId: string;
  /** Live output for events; the model sees only the result. */
  readonly onOutput: (chunk: string, stream: "stdout" | "stderr") => void;
  /** Opens an artifact for output that does not fit in memory. */
  readonly openArtifact: (name: string) => ArtifactWriter;
  /** Where the contents of changed files are kept. */
  readonly blobs: Pick<BlobStore, "put">;
  /** The plan that was approved, when somebody was asked. */
  readonly approvedPlan?: string;
  /** Milliseconds since the epoch, from the injected clock. */
  readonly now: () => number;
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
  /** Files that the call has changed. Journalled. */
  readonly changes?: readonly FileChange[];
  /** Structured facts for hosts; never sent to the model. */
  readonly details?: JsonValue;
  readonly isError?: boolean;
  readonly effects?: Effects;
  readonly artifact?: ArtifactRef;
}

/** What a call has done to the world, as far as it knows. */
export type Effects = "none" | "done" | "unknown";

/** Thrown by a tool for a failure the model should read as is (no "Tool error" prefix noise, no stack). */
export class ToolFailure extends Error {
  readonly details?: JsonValue;
  constructor(message: string, details?: JsonValue) {
    super(message);
    this.name = "ToolFailure";
    if (details !== undefined) this.details = details;
  }
}

/** The call would make other changes than the approved ones, because a file has changed since. Nothing was written. */
export class PlanChanged extends Error {
  constructor() {
    super("the files changed after the call was approved");
    this.name = "PlanChanged";
  }
}
