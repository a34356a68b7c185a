// The lines of a session file, version 4. Lines are only ever appended. Tree entries form a tree by parentId; the other
// lines are outside it. Everything else (context, transcript, cost, search) is a projection of these.

import type { FinishReason, ImageData, JsonObject, JsonValue, Message, Usage } from "@lathe/llm";
import type { RequestAmounts } from "../base/budget/ledger.ts";
import type { FileChange } from "./changes.ts";
import type { AwaitedInput, MessageSource } from "./events/types.ts";
import type { OutsideLine } from "./outside-lines.ts";
import type { Effects, FromWeb } from "./tool.ts";

export type * from "./outside-lines.ts";

/** The format version that we write. */
export const JOURNAL_VERSION = 4;

/** The first line of a session file. */
export interface SessionHeader {
  readonly type: "session";
  readonly version: number;
  readonly id: string;
  /** ISO 8601, like all timestamps on disk. */
  readonly timestamp: string;
  readonly cwd: string;
  readonly title?: string;
  readonly titleSource?: "auto" | "user";
  readonly parentSession?: string;
  /** The spawn_agent call that created this child; `lathe team` for a worker's session. */
  readonly parentCall?: string;
  readonly agentId?: string;
  readonly runId?: string;
  /** Digest of the prompt for which the run id was first used. */
  readonly runDigest?: string;
}

/** The part of a child's header that says where the child comes from. */
export interface ChildHeader {
  readonly agentId: string;
  readonly parentSession: string;
  readonly parentCall: string;
  readonly cwd: string;
}

/** The fields of all tree entries. */
export interface TreeFields {
  /** 8 characters, unique in the file. */
  readonly id: string;
  readonly parentId: string | null;
  readonly timestamp: string;
}

/** What is kept of a tool result besides its message. */
export interface ResultFacts {
  readonly message: Message;
  /** Facts for hosts; never sent to the model. */
  readonly details?: JsonValue;
  /** The call in one line, for display. */
  readonly summary?: string;
  /** Files that the call changed; their contents are blobs. */
  readonly changes?: readonly FileChange[];
  /** Real paths of the files whose content the result shows. */
  readonly reads?: readonly string[];
  /** The text is from the web; `links`: the addresses that now count as shown. */
  readonly fromWeb?: FromWeb;
  readonly effects?: Effects;
  readonly artifact?: { readonly id: number; readonly bytes: number };
  readonly durationMs?: number;
  /** Recovery wrote the result, not the tool. */
  readonly settled?: "interrupted" | "skipped";
}

/** A message of the conversation and how it came about. */
export interface MessageEntry extends TreeFields, ResultFacts {
  readonly type: "message";
  /** Only assistant messages name the provider. */
  readonly provider?: string;
  readonly model?: string;
  readonly responseId?: string;
  readonly usage?: Usage;
  /** US dollars. */
  readonly cost?: number;
  /** What a cut-off answer may have cost in addition. */
  readonly uncertain?: RequestAmounts;
  readonly finishReason?: FinishReason;
  /** How a user message came in; absent for plain input. */
  readonly origin?: "input" | "steering" | "follow_up" | "loop_detection" | "injected";
  /** The sender of a queued message; absent for the user. */
  readonly source?: MessageSource;
  /** The call put a question to a user who is not present: the input ends here and waits for the answer. */
  readonly awaits?: AwaitedInput;
}

/** A call that a running call made, with its result. It is not a message of the conversation and is never sent. */
export interface NestedCallEntry extends TreeFields, ResultFacts {
  readonly type: "nested_call";
  readonly callId: string;
  /** The id of the call that made this one. */
  readonly within: string;
  readonly tool: string;
  /** Absent if the process ended before the call did. */
  readonly arguments?: JsonObject;
}

/** Another model answers after this entry. */
export interface ModelChangeEntry extends TreeFields {
  readonly type: "model_change";
  /** `provider/id`. */
  readonly model: string;
  /** `temporary`: the switch leaves the chosen model as it is. */
  readonly role?: string;
  /** Why the model was switched, if the user did not ask for it. */
  readonly reason?: string;
}
/** The thinking level after this entry. */
export interface ThinkingLevelChangeEntry extends TreeFields {
  readonly type: "thinking_level_change";
  /** `default`: the model's own level again. */
  readonly thinkingLevel: string;
}
/** From here on, requests ask for this service tier; null for the default. */
export interface ServiceTierChangeEntry extends TreeFields {
  readonly type: "service_tier_change";
  readonly serviceTier: string | null;
}
/** Older history rendered as pictures, which are sent after the summary. */
export interface PicturedHistory {
  /** Oldest first. */
  readonly frames: readonly ImageData[];
  /** Number of frames dropped after the first. */
  readonly dropped: number;
}

/** What a compaction keeps besides its summary; other programs use names of their own. */
export interface PreservedData {
  readonly snapcompact?: PicturedHistory;
  readonly openaiRemoteCompaction?: VendorHistory;
  readonly [name: string]: unknown;
}

/** Older history in a form that only one vendor's models can read. */
export interface VendorHistory {
  readonly provider: string;
  readonly model: string;
  /** The item as the vendor made it; it is sent back unchanged. */
  readonly item: JsonObject;
}

/** From here on, a summary replaces the history before `firstKeptEntryId`. */
export interface CompactionEntry extends TreeFields {
  readonly type: "compaction";
  readonly summary: string;
  readonly shortSummary?: string;
  readonly firstKeptEntryId: string;
  readonly tokensBefore: number;
  /** `keep`: entries sent verbatim between the summary and the tail. */
  readonly details?: JsonObject & { keep?: string[] };
  readonly preserveData?: PreservedData;
  readonly fromExtension?: boolean;
}
/** From here on, parts of the history are no longer sent. */
export interface PruneEntry extends TreeFields {
  readonly type: "prune";
  /** Entries whose content is replaced by a short notice in the context. */
  readonly prune: readonly string[];
  /** If set, only images, sounds and documents are replaced, by this text. */
  readonly media?: string;
  /** If set, only the signed thinking of these answers is omitted. */
  readonly thoughts?: true;
}
/** A summary, for the model, of the branch that was left. */
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
/** Sent to the model as user-role text. */
export interface CustomMessageEntry extends TreeFields {
  readonly type: "custom_message";
  readonly customType: string;
  readonly content: string | Message["content"];
  readonly display: boolean;
  readonly details?: JsonValue;
  readonly attribution: "user" | "agent";
}
/** A name for an entry; without `label`, the name is removed. */
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
/** The configuration that a child agent started with. */
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

/** Every line that is part of the tree. */
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

/** What was lost when a file was opened; always shown to the user. */
export interface JournalLoss {
  readonly kind: "torn_tail" | "corrupt_line" | "unusable_line" | "missing_blob" | "orphan_entry";
  readonly line: number;
  readonly bytes: number;
  readonly message: string;
}
