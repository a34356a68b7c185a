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

/** What a call may do to the world, for permissions. */
export type Tier = "read" | "write" | "exec" | "network";

/** One thing that a call will touch. Paths are absolute and real: links are followed, and the op opens this very path. */
export type Access =
  | { readonly kind: "read" | "write"; readonly path: string }
  /** The content of files below a directory, or of this one file; `filter`: only of those that match the glob. */
  | { readonly kind: "read"; readonly path: string; readonly search: true; readonly filter?: string }
  /**
   * A command. `part`: what the parse knows of one command of a shell text, of which `command` is the text; each has its own. `doubt`:
   * the text could not be read.
   */
  | {
      readonly kind: "exec";
      readonly command: string;
      readonly cwd: string;
      readonly part?: ShellPart;
      readonly doubt?: string;
      /** No shell text but the task of a child agent, whose own calls are judged by the same permissions. */
      readonly isAgent?: true;
      /** Not in the sandbox that commands are otherwise confined to. */
      readonly outside?: true;
    }
  | {
      readonly kind: "network";
      readonly host: string;
      /** The whole address, where it is only read (GET): one that was shown may need no question. Absent for every other connection. */
      readonly url?: string;
      /** The user chose this host in their own settings, such as a search engine. */
      readonly chosen?: true;
      /** A server that a process of this session runs. */
      readonly own?: true;
      /** A port of the loopback that is closed for the session: the user's yes opens it, nothing else does (decision 0383). */
      readonly closedPort?: number;
      /** The page was read before and is shown from memory: nothing is sent. */
      readonly kept?: true;
    }
  /** The call gets the value of a secret where it does not belong; `reason` is for the user. */
  | { readonly kind: "secret"; readonly name: string; readonly reason: string }
  /** An address of a registered scheme, such as artifact://3: its resolver opens it, not the environment. */
  | { readonly kind: "address"; readonly url: string; readonly write: boolean };

/** Undefined: the tool does not know what this call will touch. */
export type DeclaredAccess = readonly Access[] | undefined;

/** What a person is shown before they allow a call. */
export interface Preview {
  readonly lines: readonly PreviewLine[];
  /** Arguments that the lines show in full; the session adds the others. */
  readonly shows: readonly string[];
  /** Names the planned changes: the commit fails with `PlanChanged` when it would make others. */
  readonly plan?: string | undefined;
}

/** One line of a preview; `kind` says how to show it. A `question` is what the user is asked, in words and without its mark. */
export interface PreviewLine {
  readonly text: string;
  readonly kind?: "question" | "heading" | "added" | "removed" | "note" | undefined;
}

/** A tool that says everything about itself; `defineSessionTool` makes one with typed arguments and defaults. */
export interface ToolDef<Args = JsonObject> {
  readonly name: string;
  /** What people read. */
  readonly label: string;
  /** What the model reads. */
  readonly description: string;
  readonly schema: JsonSchema;
  readonly tier: Tier | ((args: Args) => Tier);
  /** `safe`: may run again after a crash. `never`: an interrupted call is answered "interrupted, effects unknown". */
  readonly replay: "safe" | "never";
  /**
   * What the call will touch, all of it. Runs after the last rewrite of the arguments and before approval. Without it,
   * or where it gives undefined, a call above tier `read` needs approval.
   */
  access?(args: Args, scope: CallScope): Promise<DeclaredAccess> | DeclaredAccess;
  /**
   * Loads what its calls need; called when the model begins to write one, and by a host that waits for the first answer.
   * What goes wrong here goes wrong again in the call, which says so.
   */
  prepare?(): Promise<unknown>;
  /** The call in one line, for cards and transcripts. Must not throw for arguments that do not fit the schema. */
  summary?(args: Args): string;
  /**
   * The call as a person follows it; without a result: it is running. Plain text when absent, or when it throws, as it may for
   * arguments that do not fit the schema.
   */
  card?(args: Args, result?: CardResult): Card;
  /** What people approve, made from what the call will do. Every argument in full when absent. */
  preview?(args: Args, scope: CallScope): Promise<Preview> | Preview;
  /** How much of the output the model sees, unless the session's configuration says otherwise. */
  readonly output?: OutputLimit | undefined;
  /** What of this tool's state the model must keep in mind when older history is summarised. */
  carryOver?(services: ToolServices): string | undefined;
  /** What the tool and its other faces give, under one name, so that a host can leave all of them out. */
  readonly feature?: string | undefined;
  /** Services without which the tool is not offered. */
  readonly needs?: readonly (keyof ToolServices)[] | undefined;
  /** Where they are missing, what the user can do, as a sentence for those who ask for the tool by its name. */
  readonly toGetIt?: string | undefined;
  /** `discoverable`: where tools can be searched for, it is offered once it was found. Offered from the start when absent. */
  readonly loadMode?: "essential" | "discoverable" | undefined;
  /** Only for calls inside calls: the model is not offered it and cannot call it. */
  readonly hidden?: boolean | undefined;
  /** It may leave actions pending, which the tool `resolve` settles. */
  readonly deferrable?: boolean | undefined;
  /** Works on the session alone (its facts, its children, its user): a replay runs it instead of taking a recorded result. */
  readonly sessionOnly?: boolean | undefined;
  /** Serialised inside a batch. */
  readonly exclusive?: boolean | undefined;
  /** Deadline of the call; the session's default when absent, 0 = none (the tool keeps its own). */
  readonly timeoutMs?: number | undefined;
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

/** What a running call works with. */
export interface ToolContext extends CallScope {
  readonly callId: string;
  /** Live output for events; the model sees only the result. */
  readonly onOutput: (chunk: string, stream: "stdout" | "stderr") => void;
  /** Opens an artifact for output that does not fit in memory. */
  readonly openArtifact: (name: string) => ArtifactWriter;
  /** Where the contents of changed files are kept. */
  readonly blobs: Pick<BlobStore, "put">;
  /** The conversation up to the answer that made this call. */
  readonly messages: () => readonly Message[];
  /**
   * Makes another call inside this one. It is looked up, judged and journalled like any call, but the model sees neither it nor its
   * result. What goes wrong is a result with `isError`. It ends with this call at the latest.
   */
  readonly call: (name: string, args: JsonObject) => Promise<ToolResult>;
  /** The plan that was approved, when the user was asked. */
  readonly approvedPlan?: string;
}

/** Services that a host brings; what is undefined is as if it were absent. */
export type HostServices = { readonly [K in keyof ToolServices]?: ToolServices[K] | undefined };

/** Open by declaration merging: each service adds its optional key beside its own code. */
export interface ToolServices {
  /** The current model accepts images. */
  readonly vision: boolean;
  /** Milliseconds since 1970, to say how old something is. */
  readonly now?: () => number;
  /** The user trusts what the folder brings: settings of its repository may start programs. */
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

/** What a call gives back: content for the model, everything else for hosts. */
export interface ToolResult {
  readonly content: readonly ToolContent[];
  /** Files that the call has changed. Journalled. */
  readonly changes?: readonly FileChange[] | undefined;
  /** Files whose content the result shows, by their real paths. Filled in by the loop. Journalled. */
  readonly reads?: readonly string[] | undefined;
  /** The text is from the web. It is marked for the model, and the addresses that it shows may be read. Journalled. */
  readonly fromWeb?: FromWeb | undefined;
  /** Structured facts for hosts; never sent to the model. */
  readonly details?: JsonValue | undefined;
  readonly isError?: boolean | undefined;
  readonly effects?: Effects | undefined;
  readonly artifact?: ArtifactRef | undefined;
  /** The model gets all of it, whatever the tool's limit is. */
  readonly isWhole?: boolean | undefined;
}

/** Where text of the web comes from, and what it shows. */
export interface FromWeb {
  /** The address that was asked for, or the name of a search engine. */
  readonly source: string;
  /** Whole addresses that the text shows: links of a page, hits of a search. Permissions take those away that do not count as shown. */
  readonly links: readonly string[];
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
