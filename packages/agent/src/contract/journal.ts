// The lines of a session file, version 4. Lines are only ever appended. Tree entries form a tree by parentId; the other
// lines are outside it. Everything else (context, transcript, cost, search) is a projection of these.

import type { FinishReason, ImageData, JsonObject, JsonValue, Message, Usage } from "@lathe/llm";
import type { RequestAmounts } from "../base/budget/ledger.ts";
import type { FileChange } from "./changes.ts";
import type { AwaitedInput, MessageSource } from "./events/types.ts";
import type { OutsideLine } from "./outside-lines.ts";
import type { Effects, FromWeb } from "./tool.ts";

export type * from "./outside-lines.ts";

/** The version of the format that is written. */
export const JOURNAL_VERSION = 4;

/** The first line of a session file. */
export interface SessionHeader {
  readonly type: "session";
  readonly version: number;
  readonly id: string;
  /** ISO 8601, as all timestamps on disk. */
  readonly timestamp: string;
  readonly cwd: string;
  readonly title?: string;
  readonly titleSource?: "auto" | "user";
  readonly parentSession?: string;
  /** The spawn_agent call that made this child; `lathe team` for a worker's session. */
  readonly parentCall?: string;
  readonly agentId?: string;
  readonly runId?: string;
  /** Digest of the prompt a run id was given with. */
  readonly runDigest?: string;
}

/** What the header of a child's journal says of where it comes from. */
export interface ChildHeader {
  readonly agentId: string;
  readonly parentSession: string;
  readonly parentCall: string;
  readonly cwd: string;
}

/** What all entries of the tree have. */
export interface TreeFields {
  /** 8 characters, unique in the file. */
  readonly id: string;
  readonly parentId: string | null;
  readonly timestamp: string;
}

/** What is kept of a tool result besides its message. */
export interface ResultFacts {
  readonly message: Message;
  /** Facts for hosts; the model never gets them. */
  readonly details?: JsonValue;
  /** The call in one line, for people. */
  readonly summary?: string;
  /** Files that the call has changed; contents are blobs. */
  readonly changes?: readonly FileChange[];
  /** Files whose content the result shows, by their real paths. */
  readonly reads?: readonly string[];
  /** The text is from the web; `links`: addresses that count as shown because of it. */
  readonly fromWeb?: FromWeb;
  readonly effects?: Effects;
  readonly artifact?: { readonly id: number; readonly bytes: number };
  readonly durationMs?: number;
  /** The result was written by recovery, not by the tool. */
  readonly settled?: "interrupted" | "skipped";
}

/** A message of the conversation, with what is known of how it came about. */
export interface MessageEntry extends TreeFields, ResultFacts {
  readonly type: "message";
  /** Only assistant messages name the provider. */
  readonly provider?: string;
  readonly model?: string;
  readonly responseId?: string;
  readonly usage?: Usage;
  /** US dollars. */
  readonly cost?: number;
  /** What it may have cost besides, of an answer that was cut off. */
  readonly uncertain?: RequestAmounts;
  readonly finishReason?: FinishReason;
  /** How a user message came in; absent = plain input. */
  readonly origin?: "input" | "steering" | "follow_up" | "loop_detection" | "injected";
  /** Who a queued message came from; the user when absent. */
  readonly source?: MessageSource;
  /** The call put something to a person who is not there: its input ends here and waits for the answer. */
  readonly awaits?: AwaitedInput;
}

/** A call that a running call made, with its result. No message of the conversation: it is never sent. */
export interface NestedCallEntry extends TreeFields, ResultFacts {
  readonly type: "nested_call";
  readonly callId: string;
  /** The id of the call that made it. */
  readonly within: string;
  readonly tool: string;
  /** Absent when the process ended before the call did. */
  readonly arguments?: JsonObject;
}

/** Another model answers after this entry. */
export interface ModelChangeEntry extends TreeFields {
  readonly type: "model_change";
  /** `provider/id`. */
  readonly model: string;
  /** `temporary`: what was chosen stays chosen. */
  readonly role?: string;
  /** Why it was switched, when the user did not ask for it. */
  readonly reason?: string;
}
/** The model thinks more or less after this entry. */
export interface ThinkingLevelChangeEntry extends TreeFields {
  readonly type: "thinking_level_change";
  /** `default`: the model's own again. */
  readonly thinkingLevel: string;
}
/** From here on, requests ask for another service tier; null for the default. */
export interface ServiceTierChangeEntry extends TreeFields {
  readonly type: "service_tier_change";
  readonly serviceTier: string | null;
}
/** Older history as pictures, which are sent after the summary. */
export interface PicturedHistory {
  /** Oldest first. */
  readonly frames: readonly ImageData[];
  /** How many were left out after the first. */
  readonly dropped: number;
}

/** What a compaction keeps besides its summary; other programs have names of their own. */
export interface PreservedData {
  readonly snapcompact?: PicturedHistory;
  readonly openaiRemoteCompaction?: VendorHistory;
  readonly [name: string]: unknown;
}

/** Older history in a form that only models of one vendor can read. */
export interface VendorHistory {
  readonly provider: string;
  readonly model: string;
  /** As the vendor made it, and as it is sent back. */
  readonly item: JsonObject;
}

/** From here on, a summary stands in the place of the history before `firstKeptEntryId`. */
export interface CompactionEntry extends TreeFields {
  readonly type: "compaction";
  readonly summary: string;
  readonly shortSummary?: string;
  readonly firstKeptEntryId: string;
  readonly tokensBefore: number;
  /** `keep`: entries emitted verbatim between summary and tail. */
  readonly details?: JsonObject & { keep?: string[] };
  readonly preserveData?: PreservedData;
  readonly fromExtension?: boolean;
}
/** From here on, parts of the history are no longer sent. */
export interface PruneEntry extends TreeFields {
  readonly type: "prune";
  /** Entries whose content is replaced by a short notice in the context. */
  readonly prune: readonly string[];
  /** Set: only their images, sounds and documents are replaced, by this text. */
  readonly media?: string;
  /** Set: only the signed thinking of these answers is omitted. */
  readonly thoughts?: true;
}
/** What happened on a branch that was left, told to the model. */
export interface BranchSummaryEntry extends TreeFields {
  readonly type: "branch_summary";
  readonly fromId: string;
  readonly summary: string;
  readonly details?: JsonObject;
  readonly fromExtension?: boolean;
}
/** State of an extension; never shown to the model. */
export interface CustomEntry extends TreeFields {
  readonly type: "custom";
  readonly customType: string;
  readonly data: JsonValue;
}
/** Goes to the model as user-role text. */
export interface CustomMessageEntry extends TreeFields {
  readonly type: "custom_message";
  readonly customType: string;
  readonly content: string | Message["content"];
  readonly display: boolean;
  readonly details?: JsonValue;
  readonly attribution: "user" | "agent";
}
/** A name for an entry; without `label` the name is taken away. */
export interface LabelEntry extends TreeFields {
  readonly type: "label";
  readonly targetId: string;
  readonly label?: string;
}
/** From here on, the session is in another mode, such as planning. */
export interface ModeChangeEntry extends TreeFields {
  readonly type: "mode_change";
  readonly mode: string;
  readonly data?: JsonValue;
}
/** What a child agent started with. */
export interface SessionInitEntry extends TreeFields {
  readonly type: "session_init";
  readonly systemPrompt: string;
  readonly task: string;
  readonly tools: readonly string[];
  readonly outputSchema?: JsonObject;
}
/** Rules that were injected into the stream, so that none is injected twice. */
export interface TtsrInjectionEntry extends TreeFields {
  readonly type: "ttsr_injection";
  readonly injectedRules: readonly string[];
}
/** The MCP tools that are offered from here on. */
export interface McpToolSelectionEntry extends TreeFields {
  readonly type: "mcp_tool_selection";
  readonly selectedToolNames: readonly string[];
}

/** Everything that has a place in the tree. */
export type TreeEntry =
  | MessageEntry
  | NestedCallEntry
  | ModelChangeEntry
  | ThinkingLevelChangeEntry
  | ServiceTierChangeEntry
  | CompactionEntry
  | PruneEntry
  | BranchSummaryEntry
  | CustomEntry
  | CustomMessageEntry
  | LabelEntry
  | ModeChangeEntry
  | SessionInitEntry
  | TtsrInjectionEntry
  | McpToolSelectionEntry;

/** Any line of a session file. */
export type JournalLine = SessionHeader | TreeEntry | OutsideLine;

/** What was lost when a file was opened; shown to the user, never silent. */
export interface JournalLoss {
  readonly kind: "torn_tail" | "corrupt_line" | "unusable_line" | "missing_blob" | "orphan_entry";
  readonly line: number;
  readonly bytes: number;
  readonly message: string;
}
