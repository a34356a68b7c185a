// What a host gives a session and what the session's modules share.

import type {
  CallContext,
  ContentPart,
  JsonObject,
  JsonValue,
  Message,
  Request,
  Response,
  SchemaInput,
  Segment,
  StreamEvent,
  ToolCallData,
  Usage,
} from "@lathe/llm";
import type { Exchange } from "../agents/irc/exchange.ts";
import type { Spawns, SubagentOptions } from "../agents/subagents/types.ts";
import type { SessionDeps } from "../base/time/deadline.ts";
import type { Surroundings } from "../context/surroundings.ts";
import type { ArrangePrompt } from "../context/system-prompt.ts";
import type { InputContent, SessionEvent } from "../contract/events/types.ts";
import type { SessionTool } from "../contract/registry/host-tool.ts";
import type { ToolProvider } from "../contract/registry/session-tools.ts";
import type { SchemeResolver } from "../contract/seams/schemes.ts";
import type { CallInfo, Middleware, ProposedCall } from "../contract/seams/types.ts";
import type { AgentDirectory } from "../contract/subagents.ts";
import type { DeclaredAccess, HostServices, ToolContext, ToolResult } from "../contract/tool.ts";
import type { Redactor } from "../policy/redact/redactor.ts";
import type { ArtifactStore } from "../record/artifacts/store.ts";
import type { Journal } from "../record/journal/journal.ts";
import type { Profile } from "../tools/profiles/types.ts";
import type { ExecutionEnvironment } from "../world/env/types.ts";
import type { ConfigInput } from "./config.ts";

/** The part of the llm client that the loop uses. */
export interface ModelClient {
  complete(request: Request, context?: CallContext): Promise<Response>;
  stream(request: Request, context?: CallContext): AsyncIterable<StreamEvent>;
  segments?(request: Request): readonly Segment[];
  bodyBytes?(request: Request): Promise<number | undefined>;
  /** Returns undefined if the model's vendor has no compact form of a history. */
  compact?(request: Request, context: CallContext): Promise<Response | undefined>;
}

/** Everything a session works with; `createSession` fills in most of it. */
export interface SessionOptions {
  readonly profile: Profile;
  readonly env: ExecutionEnvironment;
  readonly client: ModelClient;
  readonly deps: SessionDeps;
  /** When absent, the journal is kept in memory. A session in the journal is continued. */
  readonly journal?: Journal | undefined;
  readonly config?: ConfigInput | undefined;
  /** Journals of the sessions that this one continues from a summary, newest first. `recall` searches them too. */
  readonly earlierSessions?: (() => readonly Journal[]) | undefined;
  /** Last part of the system prompt, with the highest precedence. */
  readonly userInstructions?: string | undefined;
  readonly surroundings?:
    | ((profile: Profile, env: ExecutionEnvironment) => Surroundings | Promise<Surroundings>)
    | undefined;
  /** Changes the blocks of the system prompt when it is rendered. */
  readonly arrangePrompt?: ArrangePrompt | undefined;
  readonly middleware?: readonly Middleware[] | undefined;
  /** Added to the profile's tools; a tool with the same name replaces the profile's. */
  readonly tools?: readonly SessionTool[] | undefined;
  readonly toolProviders?: readonly ToolProvider[] | undefined;
  readonly schemes?: Readonly<Record<string, SchemeResolver>> | undefined;
  /** Services for the host's own tools. */
  readonly services?: HostServices | undefined;
  /** Returns true if an answer is a question to the user: the session then waits for input instead of being idle. */
  readonly isQuestion?: ((answer: AssistantTurn) => boolean) | undefined;
  /**
   * The final answer of an input must be JSON that fits this schema: TypeBox, zod or another standard schema, or plain
   * JSON Schema. The schema is sent with the input, and an answer that does not fit is requested again, up to twice.
   */
  readonly outputSchema?: SchemaInput | undefined;
  /** The price of one answer in US dollars; from the profile's catalog row when absent. */
  readonly priceOf?: ((model: string, usage: Usage) => number) | undefined;
  /**
   * The models for a call outside the conversation, by its role (`summary`, `title`). The first model that answers is
   * used. When absent or empty: the session's own.
   */
  readonly profilesForRole?: ((role: string) => readonly Profile[]) | undefined;
  readonly subagents?: SubagentOptions | undefined;
  /** The environment has another owner too, so closing the session does not clean it up. */
  readonly sharedEnv?: boolean | undefined;
  /** Stores output that is too long; beside the journal when absent. */
  readonly artifacts?: ArtifactStore | undefined;
  /** Set by the parent of a child session. */
  readonly agentId?: string | undefined;
  readonly depth?: number | undefined;
  /** All agents of the session tree that this session belongs to. */
  readonly directory?: AgentDirectory | undefined;
  /** The kinds of agents that this session may start; any when absent. */
  readonly spawns?: Spawns | undefined;
  /** Set by the parent of a child session: exchanges messages with the other agents. */
  readonly exchange?: Exchange | undefined;
  /** The task of a child session, shown to the user in questions about its calls. */
  readonly assignment?: string | undefined;
  /** Removes known secrets from the text of tools, files and people before it is journalled, sent and emitted. */
  readonly redactor?: Redactor | undefined;
  /** Whether the user can be asked to give a secret to a call where it does not belong; never when absent. */
  readonly asksAboutSecrets?: (() => boolean) | undefined;
  /** Wraps the execution of every call, inside its intent and deadline. `run` executes it. For recording and replay. */
  readonly aroundExecute?:
    | ((call: CallInfo, run: () => Promise<ToolResult>, nest: ToolContext["call"]) => Promise<ToolResult>)
    | undefined;
  /** Wraps each nested call in the same way. */
  readonly aroundNested?:
    | ((
        outer: CallInfo,
        call: Pick<ToolCallData, "name"> & { readonly arguments: JsonObject },
        run: () => Promise<ToolResult>,
      ) => Promise<ToolResult>)
    | undefined;
  /** Wraps the lookup of what a call will access in the same way. */
  readonly aroundAccess?:
    | ((call: ProposedCall, look: () => Promise<DeclaredAccess>) => Promise<DeclaredAccess>)
    | undefined;
  /** Awaited when the session ends, after its last call and before its journal is closed. Not called for children. */
  readonly beforeClose?: (() => Promise<void>) | undefined;
  /**
   * Called synchronously with each event. An exception in it becomes an `error` event. Event readers are the usual way.
   */
  readonly onEvent?: ((event: SessionEvent) => void) | undefined;
}

/**
 * An input of the user. The items of `session.history` have the names of SN-04; elsewhere a turn is one answer with its
 * calls.
 */
export interface UserTurn {
  readonly kind: "user";
  readonly content: string | readonly ContentPart[];
  readonly timestamp: number;
}
/** A message that was sent into a running input. */
export interface SteeringTurn {
  readonly kind: "steering";
  readonly content: string | readonly ContentPart[];
  readonly timestamp: number;
}
/** Text of the system inside the conversation. */
export interface SystemTurn {
  readonly kind: "system";
  readonly content: string;
  readonly timestamp: number;
}
/** An answer of the model. */
export interface AssistantTurn {
  readonly kind: "assistant";
  readonly content: string;
  readonly toolCalls: readonly ToolCallData[];
  readonly reasoning?: string;
  readonly usage: Usage;
  readonly responseId?: string;
  readonly timestamp: number;
  /** The whole message, including signatures. */
  readonly message: Message;
}
/** The results of the calls of one answer. */
export interface ToolResultsTurn {
  readonly kind: "tool_results";
  readonly results: readonly ToolResultItem[];
  readonly timestamp: number;
}
/** The result of one call, as the model got it. */
export interface ToolResultItem {
  readonly toolCallId: string;
  readonly content: string;
  readonly isError: boolean;
  readonly details?: JsonValue;
}
/** One step of the conversation, for people who read it. */
export type Turn = UserTurn | AssistantTurn | ToolResultsTurn | SystemTurn | SteeringTurn;

/** How an input is submitted, besides its content. */
export interface SubmitOptions {
  /** The session's schema when absent. */
  readonly outputSchema?: SchemaInput | undefined;
  /**
   * Called once when the message is in the journal: from then on it survives the process. Not called if the input is
   * refused.
   */
  readonly onRecorded?: (() => void) | undefined;
  /**
   * The id of the message in the journal, set by a host that may have to find out later whether the message was
   * recorded. An id that is already in the journal is refused.
   */
  readonly entryId?: string | undefined;
}

/** The content as a list of parts. */
export function partsOf(content: InputContent | readonly ContentPart[]): readonly ContentPart[] {
  return typeof content === "string" ? [{ kind: "text", text: content }] : content;
}
