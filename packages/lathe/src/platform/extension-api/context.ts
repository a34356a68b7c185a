// What handlers, commands and tools work with while they run.

import type { ExtensionUi } from "./ui.ts";

/** What a handler works with. It is about the session that is present when the handler runs. */
export interface ExtensionContext {
  readonly cwd: string;
  /** Dialogs and what stays on the screen. Without a person, dialogs give their default at once. */
  readonly ui: ExtensionUi;
  /** The user can be asked: at a terminal, or by a program that shows dialogs. */
  readonly hasUI: boolean;
  readonly session: ExtensionSession;
  /** `provider/id` of the model that answers. */
  readonly model: string;
  /** Aborted when the work is stopped or the handler's time is up. */
  readonly signal: AbortSignal;
  /** The agent is not working. */
  isIdle(): boolean;
  /** Something was typed or sent that the model has not read yet. */
  hasQueuedMessages(): boolean;
  /** Stops the present work, as Esc does. */
  abort(): void;
  /** Ends Lathe when the present work is done. */
  shutdown(): void;
  /** Asks a model outside of the conversation; it is counted in the session's costs. */
  callModel(call: ExtensionModelCall): Promise<string>;
  readonly exec: ExtensionExec;
  readonly storage: ExtensionStorage;
}

/** What a command works with besides: it may also replace the session and move in it. */
export interface ExtensionCommandContext extends ExtensionContext {
  /** Until the agent has nothing to do. */
  waitForIdle(): Promise<void>;
  /** Sends a text to the model as if it were typed, and waits for the end of the work. */
  submit(text: string): Promise<void>;
  /** Begins a new session. False when an extension objected. */
  newSession(): Promise<boolean>;
  /** Continues in a new session from before this user message. False when an extension objected. */
  branch(entryId: string): Promise<boolean>;
  /** Goes to another place of the session's tree. False when an extension objected. */
  navigateTree(entryId: string | null, options?: { readonly summarize?: boolean | undefined }): Promise<boolean>;
  /** Summarizes older history now. */
  compact(options?: { readonly focus?: string | undefined }): Promise<void>;
  /** Chooses the model: `provider/id`. */
  setModel(selector: string): Promise<void>;
}

/** The present session. */
export interface ExtensionSession {
  readonly id: string;
  /** Its file; undefined when it is not kept. */
  readonly file: string | undefined;
  readonly title: string | undefined;
  /** Entry that the next message follows. */
  readonly leafId: string | null;
  /** Tokens of the next request, as far as they are known. */
  readonly contextTokens: number;
  /** US dollars so far. */
  readonly cost: number;
  /** Messages on the present branch, oldest first. */
  messages(): readonly { readonly id: string; readonly role: string; readonly text: string }[];
  /** Sends a text to the model: now, when idle; else as the work goes on (`steer`), or after it (`followUp`). */
  sendMessage(text: string, options?: { readonly deliverAs?: "steer" | "followUp" | undefined }): void;
  /** Keeps data in the session; the model does not see it. */
  appendEntry(kind: string, data: unknown): void;
  /** Keeps a text in the session that the model reads with its next request. */
  appendMessage(kind: string, text: string): void;
  /** The data that was kept under a kind, oldest first. */
  entries(kind: string): readonly unknown[];
}

/** A question to a model. */
export interface ExtensionModelCall {
  readonly prompt: string;
  /** `smol`: a small and fast one, where the settings name one. The conversation's when absent. */
  readonly role?: "smol" | undefined;
  readonly maxTokens?: number | undefined;
  /** 2 minutes when absent. */
  readonly timeoutMs?: number | undefined;
}

/** Runs a program and waits for its end. Never rejects for an exit code. */
export type ExtensionExec = (
  command: string,
  args?: readonly string[],
  options?: ExtensionExecOptions,
) => Promise<{ readonly stdout: string; readonly stderr: string; readonly code: number | null }>;

/** How a program runs. */
export interface ExtensionExecOptions {
  readonly cwd?: string | undefined;
  readonly stdin?: string | undefined;
  /** Ends the program. */
  readonly signal?: AbortSignal | undefined;
  /** 60 seconds when absent. */
  readonly timeoutMs?: number | undefined;
}

/** Values by name, as JSON. */
export interface ExtensionStorage {
  get<T = unknown>(key: string): T | undefined;
  /** Undefined removes the value. */
  set(key: string, value: unknown): void;
  keys(): readonly string[];
}
