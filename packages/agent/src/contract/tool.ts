// What a tool is. A tool is a face over an op: name, schema, description and result format; the work is in ../ops. A call
// declares its meaning: what it will touch (`access`), what a person approves (`preview`), how much of its output is kept
// (`output`). Nothing outside a tool's folder knows its name or arguments.

import type { ImageData, JsonObject, JsonSchema, JsonValue, Message } from "@lathe/llm";
import type { BlobStore } from "../base/blobs/store.ts";
import type { OutputLimit } from "../base/truncate/limits.ts";
import type { ExecutionEnvironment, OutputSpill } from "../world/env/types.ts";
import type { Card, CardResult } from "./card.ts";
import type { FileChange } from "./changes.ts";
import type { CallPaths } from "./paths/call-paths.ts";
import type { ShellPart } from "./shell.ts";

/** The kind of effect that a call may have, for permissions. */
export type Tier = "read" | "write" | "exec" | "network";

/** Something that a call will touch. Paths are absolute with links resolved, and the call opens exactly this path. */
export type Access =
  | { readonly kind: "read" | "write"; readonly path: string }
  /** The content of files below a directory, or of this file; `filter`: only files that match the glob. */
  | { readonly kind: "read"; readonly path: string; readonly search: true; readonly filter?: string }
  /**
   * A command. `part`: the analysis of one command of a shell text, whose text is `command`. `doubt`: why the text
   * could not be analysed.
   */
  | {
      readonly kind: "exec";
      readonly command: string;
      readonly cwd: string;
      readonly part?: ShellPart;
      readonly doubt?: string;
      /** Not shell text but the task of a child agent, whose own calls go through the same permissions. */
      readonly isAgent?: true;
      /** Runs outside the sandbox that normally confines commands. */
      readonly outside?: true;
    }
  | {
      readonly kind: "network";
      readonly host: string;
      /**
       * The whole address, if it is only read (GET); one that was shown may need no approval. Absent for every other
       * connection.
       */
      readonly url?: string;
      /** The user configured this host, such as a search engine. */
      readonly chosen?: true;
      /** A server that a process of this session runs. */
      readonly own?: true;
      /** A loopback port that is closed for the session; only the user's approval opens it (decision 0383). */
      readonly closedPort?: number;
      /** The page was read before and comes from the cache: nothing is sent. */
      readonly kept?: true;
    }
  /** The call passes the value of a secret to a place where it does not belong; `reason` is for the user. */
  | { readonly kind: "secret"; readonly name: string; readonly reason: string }
  /** An address of a registered scheme, such as artifact://3, which its resolver opens, not the environment. */
  | { readonly kind: "address"; readonly url: string; readonly write: boolean };

/** Undefined if the tool does not know what this call will touch. */
export type DeclaredAccess = readonly Access[] | undefined;

/** What the user sees before approving a call. */
export interface Preview {
  readonly lines: readonly PreviewLine[];
  /** Arguments that the lines show in full; the session adds the others. */
  readonly shows: readonly string[];
  /** Identifies the planned changes: the commit throws `PlanChanged` if it would make different ones. */
  readonly plan?: string | undefined;
}

/**
 * A line of a preview; `kind` says how to show it. A `question` is the question to the user, without a question mark.
 */
export interface PreviewLine {
  readonly text: string;
  readonly kind?: "question" | "heading" | "added" | "removed" | "note" | undefined;
}

/** The full declaration of a tool; `defineSessionTool` makes one with typed arguments and defaults. */
export interface ToolDef<Args = JsonObject> {
  readonly name: string;
  /** The name that users read. */
  readonly label: string;
  /** The description that the model reads. */
  readonly description: string;
  readonly schema: JsonSchema;
  readonly tier: Tier | ((args: Args) => Tier);
  /**
   * `safe`: may run again after a crash. `never`: an interrupted call gets the result "interrupted, effects unknown".
   */
  readonly replay: "safe" | "never";
  /**
   * Everything that the call will touch. Runs after the last rewrite of the arguments and before approval. If it is
   * absent or returns undefined, a call above tier `read` needs approval.
   */
  access?(args: Args, scope: CallScope): Promise<DeclaredAccess> | DeclaredAccess;
  /**
   * Loads what calls need. Called when the model begins to write a call, and by hosts while they wait for the first
   * answer. Errors are ignored here, because the call itself will fail the same way and report it.
   */
  prepare?(): Promise<unknown>;
  /** The call in one line, for cards and transcripts. Must not throw for arguments that do not fit the schema. */
  summary?(args: Args): string;
  /**
   * The call as shown to the user; without `result`, it is running. Hosts fall back to plain text if this is absent or
   * throws, as it may for arguments that do not fit the schema.
   */
  card?(args: Args, result?: CardResult): Card;
  /** What the user approves, derived from what the call will do. Every argument in full if absent. */
  preview?(args: Args, scope: CallScope): Promise<Preview> | Preview;
  /** How much of the output the model sees, unless the session's configuration overrides it. */
  readonly output?: OutputLimit | undefined;
  /** The state of this tool that the model must keep in mind when older history is summarised. */
  carryOver?(services: ToolServices): string | undefined;
  /** The feature that this tool and related tools provide, so that a host can leave all of them out by one name. */
  readonly feature?: string | undefined;
  /** Services without which the tool is not offered. */
  readonly needs?: readonly (keyof ToolServices)[] | undefined;
  /** What the user can do if the services are missing, as a sentence for users who ask for the tool by name. */
  readonly toGetIt?: string | undefined;
  /**
   * `discoverable`: if tools can be searched for, the tool is offered once it was found. Offered from the start if
   * absent.
   */
  readonly loadMode?: "essential" | "discoverable" | undefined;
  /** Only for nested calls: the model is not offered the tool and cannot call it. */
  readonly hidden?: boolean | undefined;
  /** It may leave actions pending, which the tool `resolve` applies or discards. */
  readonly deferrable?: boolean | undefined;
  /**
   * Works only on the session (its facts, its children, its user): a replay runs it instead of using the recorded
   * result.
   */
  readonly sessionOnly?: boolean | undefined;
  /** Calls of one batch run one after the other. */
  readonly exclusive?: boolean | undefined;
  /** Deadline of the call; the session's default if absent, 0 for none (the tool enforces its own). */
  readonly timeoutMs?: number | undefined;
  execute(args: Args, context: ToolContext): Promise<ToolResult | string> | ToolResult | string;
}

/** What a call works with, from `access` to its end. */
export interface CallScope {
  readonly env: ExecutionEnvironment;
  readonly signal: AbortSignal;
  /** Resolves each path of the call once, so that the call opens what was judged. */
  readonly paths: CallPaths;
  /** The loop's services (subagents, todo, questions, shown-file record); tools narrow them with their own guards. */
  readonly services: ToolServices;
}

/** What a running call works with. */
export interface ToolContext extends CallScope {
  readonly callId: string;
  /** Emits live output as events; the model sees only the result. */
  readonly onOutput: (chunk: string, stream: "stdout" | "stderr") => void;
  /** Opens an artifact for output that does not fit in memory. */
  readonly openArtifact: (name: string) => ArtifactWriter;
  /** The store for the contents of changed files. */
  readonly blobs: Pick<BlobStore, "put">;
  /** The conversation up to the answer that made this call. */
  readonly messages: () => readonly Message[];
  /**
   * Makes another call inside this one. It is looked up, judged and journalled like any call, but the model sees
   * neither it nor its result. Failures are results with `isError`. It ends with this call at the latest.
   */
  readonly call: (name: string, args: JsonObject) => Promise<ToolResult>;
  /** The approved plan, if the user was asked. */
  readonly approvedPlan?: string;
}

/** Services that a host supplies; undefined is the same as absent. */
export type HostServices = { readonly [K in keyof ToolServices]?: ToolServices[K] | undefined };

/** Open for declaration merging: each service declares its optional key next to its code. */
export interface ToolServices {
  /** The current model accepts images. */
  readonly vision: boolean;
  /** Milliseconds since 1970, to say how old something is. */
  readonly now?: () => number;
  /** The user trusts the folder, so the settings of its repository may start programs. */
  readonly isFolderTrusted?: () => boolean;
}

/** An artifact that is being written. */
export interface ArtifactWriter extends OutputSpill {
  readonly id: number;
  close(): Promise<ArtifactRef>;
}

/** A finished artifact. */
export interface ArtifactRef {
  readonly id: number;
  readonly bytes: number;
}

/** A part of a tool result: text or an image. */
export type ToolContent =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "image"; readonly image: ImageData };

/** The result of a call: `content` is for the model, the rest for hosts. */
export interface ToolResult {
  readonly content: readonly ToolContent[];
  /** Files that the call changed. Journalled. */
  readonly changes?: readonly FileChange[] | undefined;
  /** Real paths of files whose content the result shows. Filled in by the loop. Journalled. */
  readonly reads?: readonly string[] | undefined;
  /** The text is from the web: it is marked for the model, and the addresses in it may be read. Journalled. */
  readonly fromWeb?: FromWeb | undefined;
  /** Structured facts for hosts; never sent to the model. */
  readonly details?: JsonValue | undefined;
  readonly isError?: boolean | undefined;
  readonly effects?: Effects | undefined;
  readonly artifact?: ArtifactRef | undefined;
  /** The model gets the whole output, whatever the tool's limit is. */
  readonly isWhole?: boolean | undefined;
}

/** The source of text from the web, and the links it shows. */
export interface FromWeb {
  /** The requested address, or the name of a search engine. */
  readonly source: string;
  /**
   * The full addresses that the text shows: links of a page, hits of a search. Permissions remove those that do not
   * count as shown.
   */
  readonly links: readonly string[];
}

/** What a call has done to the world, as far as it knows. */
export type Effects = "none" | "done" | "unknown";

/** Thrown by a tool for a failure that the model should read verbatim (without a "Tool error" prefix or stack). */
export class ToolFailure extends Error {
  readonly details?: JsonValue;
  constructor(message: string, details?: JsonValue) {
    super(message);
    this.name = "ToolFailure";
    if (details !== undefined) this.details = details;
  }
}

/** The call would make changes other than the approved ones, because a file has changed since. Nothing was written. */
export class PlanChanged extends Error {
  constructor() {
    super("the files changed after the call was approved");
    this.name = "PlanChanged";
  }
}
