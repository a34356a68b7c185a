// Tools that the model can call: registered by an extension, or alone in a file of `.lathe/tools`.

import type { ExtensionContext } from "./context.ts";
import type { ExtensionLines } from "./rendering.ts";

/** A tool that the model can call. */
export interface CustomTool {
  /** A letter, then letters, digits, _ or -. Must be unique. */
  readonly name: string;
  /** Shown to the user; defaults to the name. */
  readonly label?: string | undefined;
  /** Tells the model what the tool does and when to use it. */
  readonly description: string;
  /** JSON Schema of the arguments (a TypeBox or zod schema also works); the root is an object. */
  readonly parameters: object;
  /** Which calls need approval follows from this; defaults to `exec`. */
  readonly tier?: "read" | "write" | "exec" | "network" | undefined;
  /** Deadline of a call in milliseconds; defaults to 2 minutes. */
  readonly timeoutMs?: number | undefined;
  /**
   * With `discoverable` the model gets the tool only when it searches for it (`search_tool_bm25`). By default it has
   * the tool from the start.
   */
  readonly loadMode?: "essential" | "discoverable" | undefined;
  /** Whether calls may leave actions pending (`pushPendingAction`); the model then gets the tool `resolve`. */
  readonly deferrable?: boolean | undefined;
  /** A thrown error becomes a result with `isError`. */
  execute(call: CustomToolCall): CustomToolReturn | Promise<CustomToolReturn>;
  /** The call in one line, shown to the user. */
  renderCall?(input: Readonly<Record<string, unknown>>): string;
  /** The lines below that one when the call is done. */
  renderResult?(result: CustomToolOutcome, options: { readonly expanded: boolean }): ExtensionLines;
}

/**
 * An action that a call has prepared and the model then applies or discards. Exactly one of the two functions is
 * called, once.
 */
export interface PendingCustomAction {
  /** The action in a few words. */
  readonly label: string;
  /** The returned text is the result for the model. */
  apply(reason: string): CustomToolReturn | Promise<CustomToolReturn>;
  reject?(reason: string): string | undefined | Promise<string | undefined>;
  readonly details?: unknown;
  /**
   * The effect of the action, such as a diff, shown to the user when they are asked. Without it they only see the
   * label.
   */
  readonly preview?: string | undefined;
  /** Defaults to `custom_tool`. */
  readonly sourceToolName?: string | undefined;
}

/** A running call. */
export interface CustomToolCall {
  /** Queues an action. No other tool runs until the model has applied or discarded it. */
  pushPendingAction(action: PendingCustomAction): void;
  readonly toolCallId: string;
  /** The arguments, valid for the schema. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Shows live output to the user; the model sees only the result. */
  onUpdate(text: string): void;
  readonly context: ExtensionContext;
  /** Aborted when the call must end. Programs started with `exec` end by themselves. */
  readonly signal: AbortSignal;
}

/** The result of a call: a text, or more. */
export type CustomToolReturn = string | CustomToolOutcome;

/** The result of a call. */
export interface CustomToolOutcome {
  readonly content: readonly ExtensionContent[];
  /** For the user and for `renderResult`; the model does not see it. */
  readonly details?: unknown;
  readonly isError?: boolean | undefined;
}

/** A part of a result. Image data is base64. */
export type ExtensionContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly data: string; readonly mediaType: string };
