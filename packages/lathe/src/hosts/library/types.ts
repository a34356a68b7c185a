// What a program gives to open a session, and what it gets: plain data and interfaces, so that their types cost a program nothing.

import type { HostTool, UiHandler } from "../rpc-client/host-side.ts";
import type { WireEvent } from "../wire/events.ts";
import type { WireMessage } from "../wire/message.ts";

/** Where a session works, and whose files it reads. */
export interface PlaceOptions {
  /** The process's own when absent. */
  readonly cwd?: string | undefined;
  /** In the place of the process's variables: credentials, `LATHE_HOME` and what commands see. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Takes lines that the command would write to stderr. They go to the process's stderr when absent. */
  readonly onNotice?: ((line: string) => void) | undefined;
}

/** What a session is opened with; everything has the default of the user's settings. */
export interface AgentSessionOptions extends PlaceOptions {
  /** `provider/id`, or a pattern as `--model` takes it. */
  readonly model?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly thinkingLevel?: string | undefined;
  readonly permissionMode?: "read-only" | "ask" | "auto-edit" | "full" | "plan" | undefined;
  /**
   * `new` (when absent): kept on disk. `memory`: leaves no file. `continue`: the last one of the directory, or a new one. Otherwise a
   * path, or the beginning of an id.
   */
  readonly session?: "new" | "memory" | "continue" | (string & {}) | undefined;
  /** Offered from the first request on, besides the built-in ones, whatever `tools` says. */
  readonly customTools?: readonly HostTool[] | undefined;
  /** Names of the built-in tools that are offered; all of the model's profile when absent. */
  readonly tools?: readonly string[] | undefined;
  /** A text replaces the prompt; a function gets the blocks of the default prompt and gives those that are sent. */
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
  /** US dollars. */
  readonly cost: number;
  /** Why it failed. */
  readonly error?: string | undefined;
}

/** A session that works inside the program. Close it at the end: it holds its file, its processes and its connections. */
export interface AgentSession {
  readonly id: string;
  /** Undefined when it is kept in memory. */
  readonly file: string | undefined;
  /** `provider/id`. */
  readonly model: string;
  readonly isBusy: boolean;
  /** An earlier process was cut off in the middle of an input; `continue` finishes it. */
  readonly hasUnfinishedInput: boolean;
  /** What the model sees of the conversation. */
  readonly messages: readonly WireMessage[];
  /** Resolves when the work has ended. Refused while the session is at work. */
  prompt(message: string): Promise<PromptOutcome>;
  /** Undefined when there is nothing to finish. */
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

/** One session that is kept on disk. */
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

/** What Lathe found for a place: skills, rules, agents, servers and the like, of the user, the project and other agents. */
export interface DiscoveredItem {
  readonly kind: string;
  readonly name: string;
  readonly path: string;
  /** Why it has no effect here; absent when it has. */
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
  /** By token: `#rrggbb`, an index of the palette, or "" for the terminal's own colour. */
  readonly colors: Readonly<Record<string, string | number>>;
  /** For pages made of a session. */
  readonly export?: Readonly<Partial<Record<"pageBg" | "cardBg" | "infoBg", string | number>>>;
}
