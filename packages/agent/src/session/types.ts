// What a host gives a session and what the session's modules share.

import type {
  CallContext,
  ContentPart,
  JsonValue,
  Message,
  Request,
  Response,
  Segment,
  StreamEvent,
  ToolCallData,
  Usage,
} from "@lathe/llm";
import type { ArtifactStore } from "../artifacts/store.ts";
import type { ExecutionEnvironment } from "../env/types.ts";
import type { InputContent, SessionEvent } from "../events/types.ts";
import type { Journal } from "../journal/journal.ts";
import type { Profile } from "../profiles/types.ts";
import type { Redactor } from "../redact/redactor.ts";
import type { CustomTool } from "../registry/registry.ts";
import type { SchemeResolver } from "../seams/schemes.ts";
import type { CallInfo, Middleware, ToolProvider } from "../seams/types.ts";
import type { SubagentOptions } from "../subagents/types.ts";
import type { ToolDef, ToolResult, ToolServices } from "../tools/types.ts";
import type { ConfigInput } from "./config.ts";
import type { SessionDeps } from "./deps.ts";

/** The part of the llm client that the loop uses. */
export interface ModelClient {
  complete(request: Request, context?: CallContext): Promise<Response>;
  stream(request: Request, context?: CallContext): AsyncIterable<StreamEvent>;
  segments?(request: Request): readonly Segment[];
}

/** Text about the place the session works in; rendered once, then kept in the journal. */
export interface Surroundings {
  /** Date, directory, git state: stands before the first user turn, never in the system prompt. */
  readonly environment: string;
  /** Instruction files of the project. */
  readonly projectDocs: string;
}

export interface SessionOptions {
  readonly profile: Profile;
  readonly env: ExecutionEnvironment;
  readonly client: ModelClient;
  readonly deps: SessionDeps;
  /** In memory when absent. A journal that holds a session continues it. */
  readonly journal?: Journal;
  readonly config?: ConfigInput;
  /** Last and strongest part of the system prompt. */
  readonly userInstructions?: string;
  readonly surroundings?: (profile: Profile, env: ExecutionEnvironment) => Surroundings | Promise<Surroundings>;
  readonly middleware?: readonly Middleware[];
  /** Added to the profile's, or in place of those with the same name. */
  readonly tools?: readonly (ToolDef | CustomTool)[];
  readonly toolProviders?: readonly ToolProvider[];
  readonly schemes?: Readonly<Record<string, SchemeResolver>>;
  /** Services of the host's own tools. */
  readonly services?: Partial<ToolServices>;
  /** True when an answer is a question to the user: the session then waits for input instead of being idle. */
  readonly isQuestion?: (turn: AssistantTurn) => boolean;
  /** US dollars of one answer; from the profile's catalog row when absent. */
  readonly priceOf?: (model: string, usage: Usage) => number;
  readonly subagents?: SubagentOptions;
  /** The environment is somebody else's too: closing the session does not clean it up. */
  readonly sharedEnv?: boolean;
  /** Where output that is too long goes; beside the journal when absent. */
  readonly artifacts?: ArtifactStore;
  /** Set by the parent of a child session. */
  readonly agentId?: string;
  readonly depth?: number;
  /** Takes known secrets out of what tools, files and people say before it is journalled, sent and told. */
  readonly redactor?: Redactor;
  /** Stands around the execution of every call, inside its intent and deadline; `run` does it. For recording and replay. */
  readonly aroundExecute?: (call: CallInfo, run: () => Promise<ToolResult>) => Promise<ToolResult>;
  /** Called with each event, synchronously; must not throw. Readers are the usual way. */
  readonly onEvent?: (event: SessionEvent) => void;
}

export interface UserTurn {
  readonly kind: "user";
  readonly content: InputContent;
  readonly timestamp: number;
}
export interface SteeringTurn {
  readonly kind: "steering";
  readonly content: InputContent;
  readonly timestamp: number;
}
export interface SystemTurn {
  readonly kind: "system";
  readonly content: string;
  readonly timestamp: number;
}
export interface AssistantTurn {
  readonly kind: "assistant";
  readonly content: string;
  readonly toolCalls: readonly ToolCallData[];
  readonly reasoning?: string;
  readonly usage: Usage;
  readonly responseId?: string;
  readonly timestamp: number;
  /** The whole message, signatures included. */
  readonly message: Message;
}
export interface ToolResultsTurn {
  readonly kind: "tool_results";
  readonly results: readonly ToolResultItem[];
  readonly timestamp: number;
}
export interface ToolResultItem {
  readonly toolCallId: string;
  readonly content: string;
  readonly isError: boolean;
  readonly details?: JsonValue;
}
export type Turn = UserTurn | AssistantTurn | ToolResultsTurn | SystemTurn | SteeringTurn;

export function partsOf(content: InputContent): readonly ContentPart[] {
  return typeof content === "string" ? [{ kind: "text", text: content }] : content;
}

export function textOfContent(content: InputContent): string {
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");
}
