// The session events that handlers receive, and what a handler may return.

import type { ExtensionContext } from "./context.ts";
import type { ExtensionContent } from "./tool.ts";

/** The data of each event. */
export interface ExtensionEvents {
  /** Lathe has opened a session. */
  session_start: { readonly resumed: boolean };
  /** Another session is about to replace this one. A handler can cancel this. */
  session_before_switch: { readonly reason: "new" | "resume" | "fork" | "move"; readonly sessionFile?: string };
  session_switch: { readonly reason: string; readonly previousSessionFile?: string };
  /** A new session is about to start with the history before a message. A handler can cancel this. */
  session_before_branch: { readonly entryId: string };
  session_branch: { readonly previousSessionFile?: string };
  /** The conversation is about to move to another entry of its tree. A handler can cancel this or provide a summary. */
  session_before_tree: {
    readonly targetId: string | null;
    readonly oldLeafId: string | null;
    readonly commonAncestorId: string | null;
    readonly entriesToSummarize: readonly { readonly id: string; readonly type: string }[];
    readonly userWantsSummary: boolean;
  };
  session_tree: {
    readonly oldLeafId: string | null;
    readonly newLeafId: string | null;
    /** The entry with the summary of the branch that was left, if there is one. */
    readonly summaryEntryId?: string | undefined;
    readonly fromExtension: boolean;
  };
  /**
   * The history is about to be compacted. A handler can cancel this or provide a summary; then no model is asked for
   * one.
   */
  session_before_compact: { readonly reason: string; readonly tokensBefore: number };
  /** A model is about to be asked for the summary. A handler can cancel this or say what the summary must respect. */
  "session.compacting": { readonly reason: string; readonly tokensBefore: number };
  session_compact: { readonly tokensAfter?: number; readonly error?: string };
  /** Lathe is ending, or the extension is being turned off or reloaded. */
  session_shutdown: { readonly reason: "exit" | "reload" | "off" };

  /** The user sent something. A handler can change or refuse it. */
  input: { readonly text: string; readonly images: number };
  /** The model is about to see an input. A returned message goes to the model with it. */
  before_agent_start: { readonly prompt: string };
  agent_start: { readonly prompt: string };
  agent_end: { readonly reason: string; readonly text: string; readonly cost: number };
  /** The model has nothing more to do. A returned text makes it continue. */
  stop: { readonly text: string };
  turn_start: { readonly turn: number };
  turn_end: { readonly turn: number; readonly outcome: string };
  /** A piece of the answer. */
  message_update: { readonly delta: string };
  message_end: { readonly text: string };
  /** A request is about to be sent. */
  context: { readonly messages: number; readonly tokens: number; readonly window: number };

  /**
   * The model wants to call a tool. A handler can block the call or change its arguments. If the handler fails, the
   * call is blocked.
   */
  tool_call: {
    readonly toolName: string;
    readonly toolCallId: string;
    readonly input: Readonly<Record<string, unknown>>;
    /** A one-line description of the call. */
    readonly summary: string;
    readonly tier: string;
  };
  /** A tool has returned its result, which a handler can change before the model sees it. */
  tool_result: {
    readonly toolName: string;
    readonly toolCallId: string;
    readonly input: Readonly<Record<string, unknown>>;
    readonly content: readonly ExtensionContent[];
    readonly details?: unknown;
    readonly isError: boolean;
  };

  auto_compaction_start: { readonly reason: string };
  auto_compaction_end: { readonly error?: string };
  auto_retry_start: { readonly attempt: number; readonly delayMs: number; readonly message: string };
  auto_retry_end: { readonly attempts: number };
  /** A warning for the user, such as a failed hook. */
  warning: { readonly message: string; readonly code: string };
}

/** The names of all events. */
export type ExtensionEventName = keyof ExtensionEvents;

/** An event with its name. */
export type ExtensionEvent<Name extends ExtensionEventName> = ExtensionEvents[Name] & { readonly type: Name };

/** The values that handlers of some events may return. Other events are only reported. */
export interface ExtensionEventResults {
  input: { readonly text: string } | { readonly reject: string };
  before_agent_start: { readonly message: string };
  stop: { readonly continueWith: string };
  tool_call:
    | { readonly block: boolean; readonly reason: string }
    | { readonly input: Readonly<Record<string, unknown>> };
  tool_result: {
    readonly content?: string | readonly ExtensionContent[] | undefined;
    readonly details?: unknown;
    readonly isError?: boolean | undefined;
  };
  session_before_switch: { readonly cancel: true | string };
  session_before_branch: { readonly cancel: true | string };
  session_before_tree: { readonly cancel: true | string } | { readonly summary: string };
  session_before_compact: { readonly cancel: true | string } | { readonly summary: string };
  "session.compacting":
    | { readonly cancel: true | string }
    | {
        /** The focus of the summary, unless the user gave one. */
        readonly prompt?: string | undefined;
        /** Extra context for the model that summarizes. */
        readonly context?: readonly string[] | undefined;
        /** Values stored with the compaction in the session file and never sent to a model. */
        readonly preserveData?: Readonly<Record<string, unknown>> | undefined;
      };
}

/**
 * The value that a handler of this event may return; undefined changes nothing. Handlers of other events return
 * nothing.
 */
export type ExtensionEventResult<Name extends ExtensionEventName> = Name extends keyof ExtensionEventResults
  ? // biome-ignore lint/suspicious/noConfusingVoidType: a handler need not return anything
    ExtensionEventResults[Name] | undefined | void
  : unknown;

/** Called when an event happens. Errors it throws are reported with the name of the extension. */
export type ExtensionHandler<Name extends ExtensionEventName> = (
  event: ExtensionEvent<Name>,
  context: ExtensionContext,
) => ExtensionEventResult<Name> | Promise<ExtensionEventResult<Name>>;
