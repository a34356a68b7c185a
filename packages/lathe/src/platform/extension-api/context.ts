// The context that handlers, commands and tools get while they run.

import type { ExtensionUi } from "./ui.ts";

/** The context of a handler. It refers to the session that is current when the handler runs. */
export interface ExtensionContext {
  readonly cwd: string;
  /** Dialogs and what stays on the screen. When no user is present, dialogs return their default at once. */
  readonly ui: ExtensionUi;
  /** Whether the user can be asked, at a terminal or through a program that shows dialogs. */
  readonly hasUI: boolean;
  readonly session: ExtensionSession;
  /** `provider/id` of the model in use. */
  readonly model: string;
  /** Aborted when the work is stopped or the handler's time is up. */
  readonly signal: AbortSignal;
  /** Whether the agent is idle. */
  isIdle(): boolean;
  /** Whether a message was typed or sent that the model has not read yet. */
  hasQueuedMessages(): boolean;
  /** Stops the current work, as Esc does. */
  abort(): void;
  /** Ends Lathe when the current work is done. */
  shutdown(): void;
  /** Asks a model outside the conversation; its cost counts towards the session. */
  callModel(call: ExtensionModelCall): Promise<string>;
  readonly exec: ExtensionExec;
  readonly storage: ExtensionStorage;
}

/** The context of a command, which may also replace the session and move within it. */
export interface ExtensionCommandContext extends ExtensionContext {
  /** Waits until the agent is idle. */
  waitForIdle(): Promise<void>;
  /** Sends a text to the model as if the user had typed it, and waits for the work to end. */
  submit(text: string): Promise<void>;
  /** Starts a new session. Returns false if an extension cancelled it. */
  newSession(): Promise<boolean>;
  /** Continues in a new session from before this user message. Returns false if an extension cancelled it. */
  branch(entryId: string): Promise<boolean>;
  /** Moves to another entry of the session's tree. Returns false if an extension cancelled it. */
  navigateTree(entryId: string | null, options?: { readonly summarize?: boolean | undefined }): Promise<boolean>;
  /** Summarizes older history now. */
  compact(options?: { readonly focus?: string | undefined }): Promise<void>;
  /** Sets the model: `provider/id`. */
  setModel(selector: string): Promise<void>;
}

/** The current session. */
export interface ExtensionSession {
  readonly id: string;
  /** The session file; undefined if the session is not saved. */
  readonly file: string | undefined;
  readonly title: string | undefined;
  /** The entry that the next message will follow. */
  readonly leafId: string | null;
  /** Tokens of the next request, as far as they are known. */
  readonly contextTokens: number;
  /** Cost so far, in US dollars. */
  readonly cost: number;
  /** Messages on the current branch, oldest first. */
  messages(): readonly { readonly id: string; readonly role: string; readonly text: string }[];
  /**
   * Sends a text to the model: at once if it is idle, otherwise while the work goes on (`steer`) or after it
   * (`followUp`).
   */
  sendMessage(text: string, options?: { readonly deliverAs?: "steer" | "followUp" | undefined }): void;
  /** Stores data in the session; the model does not see it. */
  appendEntry(kind: string, data: unknown): void;
  /** Stores a text in the session, which the model reads with its next request. */
  appendMessage(kind: string, text: string): void;
  /** The data stored under this kind, oldest first. */
  entries(kind: string): readonly unknown[];
}

/** A question for a model. */
export interface ExtensionModelCall {
  readonly prompt: string;
  /** `smol` selects the small, fast model if the settings name one. Defaults to the conversation's model. */
  readonly role?: "smol" | undefined;
  readonly maxTokens?: number | undefined;
  /** Defaults to 2 minutes. */
  readonly timeoutMs?: number | undefined;
}

/** Runs a program and waits for it to end. It never rejects because of an exit code. */
export type ExtensionExec = (
  command: string,
  args?: readonly string[],
  options?: ExtensionExecOptions,
) => Promise<{ readonly stdout: string; readonly stderr: string; readonly code: number | null }>;

/** How a program runs. */
export interface ExtensionExecOptions {
  readonly cwd?: string | undefined;
  readonly stdin?: string | undefined;
  /** Aborting it ends the program. */
  readonly signal?: AbortSignal | undefined;
  /** Defaults to 60 seconds. */
  readonly timeoutMs?: number | undefined;
}

/** Named values, stored as JSON. */
export interface ExtensionStorage {
  get<T = unknown>(key: string): T | undefined;
  /** Undefined removes the value. */
  set(key: string, value: unknown): void;
  keys(): readonly string[];
}
