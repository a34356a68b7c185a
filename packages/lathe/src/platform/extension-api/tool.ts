// Tools that the model can call: registered by an extension, or alone in a file of `.lathe/tools`.

import type { ExtensionContext } from "./context.ts";
import type { ExtensionLines } from "./rendering.ts";

/** A tool that the model can call. */
export interface CustomTool {
  /** A letter, then letters, digits, _ or -. Must differ from all others. */
  readonly name: string;
  /** For people; the name when absent. */
  readonly label?: string | undefined;
  /** For the model: what it does and when to use it. */
  readonly description: string;
  /** JSON Schema of the arguments (also TypeBox, or zod); the root is an object. */
  readonly parameters: object;
  /** What a call may do without being asked about. `exec` when absent. */
  readonly tier?: "read" | "write" | "exec" | "network" | undefined;
  /** Deadline of a call in milliseconds; 2 minutes when absent. */
  readonly timeoutMs?: number | undefined;
  /** `discoverable`: the model gets it when it looks for it (`search_tool_bm25`); from the start when absent. */
  readonly loadMode?: "essential" | "discoverable" | undefined;
  /** Its calls may leave actions pending (`pushPendingAction`); the model then gets the tool `resolve`. */
  readonly deferrable?: boolean | undefined;
  /** What is thrown becomes a result with `isError`. */
  execute(call: CustomToolCall): CustomToolReturn | Promise<CustomToolReturn>;
  /** The call in one line, for people. */
  renderCall?(input: Readonly<Record<string, unknown>>): string;
  /** What is shown below it when it is done. */
  renderResult?(result: CustomToolOutcome, options: { readonly expanded: boolean }): ExtensionLines;
}

/** Something that a call has prepared; the model applies or discards it. One of the two functions is called, once. */
export interface PendingCustomAction {
  /** What it would do, in a few words. */
  readonly label: string;
  /** The text is the result for the model. */
  apply(reason: string): CustomToolReturn | Promise<CustomToolReturn>;
  reject?(reason: string): string | undefined | Promise<string | undefined>;
  readonly details?: unknown;
  /** What it would change, such as a diff, for a person who is asked; the label alone when absent. */
  readonly preview?: string | undefined;
  /** `custom_tool` when absent. */
  readonly sourceToolName?: string | undefined;
}

/** A running call. */
export interface CustomToolCall {
  /** Nothing else runs before the model has applied or discarded it. */
  pushPendingAction(action: PendingCustomAction): void;
  readonly toolCallId: string;
  /** The arguments, as the schema describes them. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Live output for people; the model sees only the result. */
  onUpdate(text: string): void;
  readonly context: ExtensionContext;
  /** Aborted when the call is to end. Programs that were started with `exec` end by themselves. */
  readonly signal: AbortSignal;
}

/** What a call may give back: a text, or more. */
export type CustomToolReturn = string | CustomToolOutcome;

/** The result of a call. */
export interface CustomToolOutcome {
  readonly content: readonly ExtensionContent[];
  /** For people and for `renderResult`; the model does not see it. */
  readonly details?: unknown;
  readonly isError?: boolean | undefined;
}

/** A part of a result. Data of images is base64. */
export type ExtensionContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly data: string; readonly mediaType: string };
