// What a program passes to open a session, and what it gets. Only plain data and interfaces, so that the types cost a
// program nothing.

import type { HostTool, UiHandler } from "../rpc-client/host-side.ts";
import type { WireEvent } from "../wire/events.ts";
import type { WireMessage } from "../wire/message.ts";

/** Where a session works, and whose files it reads. */
export interface PlaceOptions {
  /** The process's own when absent. */
  readonly cwd?: string | undefined;
  /** Used instead of the process's variables: credentials, `LATHE_HOME` and what commands see. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Takes lines that the command would write to stderr. When absent, they go to the process's stderr. */
  readonly onNotice?: ((line: string) => void) | undefined;
}

/** How to open a session; defaults come from the user's settings. */
export interface AgentSessionOptions extends PlaceOptions {
  /** `provider/id`, or a pattern like that of `--model`. */
  readonly model?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly thinkingLevel?: string | undefined;
  readonly permissionMode?: "read-only" | "ask" | "auto-edit" | "full" | "plan" | undefined;
  /**
   * `new` (default): saved on disk. `memory`: leaves no file. `continue`: the directory's last session, or a new one.
   * Any other text is a path, or the beginning of an id.
   */
  readonly session?: "new" | "memory" | "continue" | (string & {}) | undefined;
  /** Offered from the first request on, in addition to the built-in tools, whatever `tools` says. */
  readonly customTools?: readonly HostTool[] | undefined;
  /** Names of the built-in tools to offer; when absent, all of the model's profile. */
  readonly tools?: readonly string[] | undefined;
  /** A text replaces the prompt; a function gets the blocks of the default prompt and returns those to send. */
  readonly systemPrompt?: string | ((blocks: readonly string[]) => readonly string[]) | undefined;
  /** Answers approvals and questions. Without it, calls that need approval are denied. */
  readonly onUiRequest?: UiHandler | undefined;
}

/** How a prompt ended. */
export interface PromptOutcome {
  /** `completed`, `interrupted`, `error`, or the limit that was reached. */
  readonly reason: string;
  /** The last answer. */
  readonly text: string;
  /** In US dollars. */
  readonly cost: number;
  /** Why it failed. */
  readonly error?: string | undefined;
}

/** A session inside the program. Close it at the end: it holds its file, its processes and its connections. */
export interface AgentSession {
  readonly id: string;
  /** Undefined for a session in memory. */
  readonly file: string | undefined;
  /** The form is `provider/id`. */
  readonly model: string;
  readonly isBusy: boolean;
  /** An earlier process was interrupted in the middle of an input; `continue` finishes it. */
  readonly hasUnfinishedInput: boolean;
  /** The conversation as the model sees it. */
  readonly messages: readonly WireMessage[];
  /** Resolves when the work has ended. Refused while the session is working. */
  prompt(message: string): Promise<PromptOutcome>;
  /** Undefined if there is nothing to finish. */
  continue(): Promise<PromptOutcome | undefined>;
  /** Reaches the model with its next request. */
  steer(message: string): void;
  /** Runs when the present work has ended. */
  followUp(message: string): void;
  interrupt(): Promise<void>;
  /** Returns a function that removes the listener. */
  subscribe(listener: (event: WireEvent) => void): () => void;
  /** Takes effect with the next request. */
  setModel(model: string): Promise<void>;
  setThinkingLevel(level: string | undefined): void;
  setPermissionMode(mode: NonNullable<AgentSessionOptions["permissionMode"]>): void;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A session on disk. */
export interface StoredSession {
  readonly id: string;
  readonly path: string;
  readonly cwd: string;
  /** ISO 8601. */
  readonly created: string;
  /** Milliseconds since the epoch. */
  readonly modified: number;
  readonly bytes: number;
  readonly title?: string | undefined;
  readonly firstMessage?: string | undefined;
}

/**
 * A file that Lathe found for a place: skills, rules, agents, servers and the like, of the user, the project and other
 * agents.
 */
export interface DiscoveredItem {
  readonly kind: string;
  readonly name: string;
  readonly path: string;
  /** Why it has no effect here; absent if it has. */
  readonly ignored?: string | undefined;
}

/** A built-in tool. */
export interface ToolRow {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** A theme of the terminal. */
export interface ThemeColours {
  readonly name: string;
  /** Colours by token: `#rrggbb`, an index of the palette, or "" for the terminal's own colour. */
  readonly colors: Readonly<Record<string, string | number>>;
  /** Colours of pages exported from a session. */
  readonly export?: Readonly<Partial<Record<"pageBg" | "cardBg" | "infoBg", string | number>>>;
}
