// How everything outside the loop plugs in: one ordered list of middleware. Every hook is optional, gets a signal and
// has a deadline. A failing hook causes a warning, except before a call: then the call does not run.

import type {
  JsonObject,
  Message,
  ModelInfo,
  Request,
  ResponseFormat,
  StreamEvent,
  ToolCallData,
  ToolChoice,
  ToolDefinition,
  Usage,
} from "@lathe/llm";
import type { Amounts } from "../../base/budget/ledger.ts";
import type { ExecutionEnvironment } from "../../world/env/types.ts";
import type { AwaitedInput, EndReason, InputContent, InputError } from "../events/types.ts";
import type { DecidedPart, PreservedData, TreeEntry, VendorHistory } from "../journal.ts";
import type { JournalReader } from "../journal-reader.ts";
import type { Answer, Question } from "../questions.ts";
import type { Access, Preview, Tier, ToolDef, ToolResult } from "../tool.ts";
import type { Verification } from "../verification.ts";

/** What a hook may use. All of it stops working when `signal` aborts. */
export interface SeamContext {
  readonly sessionId: string;
  readonly agentId?: string;
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly journal: JournalReader;
  /** The environment in which the session's tools work. */
  readonly env: ExecutionEnvironment;
  /** The next request as it currently stands. */
  nextRequest(): RequestInfo;
  /** State that tools want to keep in mind, such as open tasks, in the form the model gets. */
  carriedTexts(): readonly string[];
  /**
   * Calls a model outside the conversation. The call is journalled as maintenance, counted in the session's ledger, and
   * retried like any request.
   */
  callModel(role: string, call: SideCall): Promise<SideAnswer>;
  /**
   * The messages compacted by the vendor; undefined if it does not support that. Journalled and counted like a call.
   */
  compactByVendor(messages: readonly Message[], timeoutMs: number): Promise<VendorCompaction | undefined>;
  /** Warns the user of the session; `code` is for programs. */
  warn(message: string, code: string): void;
  /** Records that the model was sent these rules, so that none is sent twice on this branch, and emits the event. */
  rulesInjected(names: readonly string[]): void;
  /**
   * What a call would touch; undefined if that is unknown because the tool does not exist or the arguments are wrong.
   */
  accessOf(call: AskedCall): Promise<readonly Access[] | undefined>;
  /**
   * What the user would be shown before approving the call: its changes. Undefined as above, or if the tool has no
   * preview.
   */
  previewOf(call: AskedCall): Promise<Preview | undefined>;
  /** Returns undefined if the user did not answer or cannot be asked. */
  ask(questions: readonly Question[]): Promise<readonly Answer[] | undefined>;
  /** What the session and its children may spend. */
  readonly budget: {
    readonly spent: Amounts;
    /** Infinity if there is no limit. */
    readonly remaining: Amounts;
  };
}

/** A hypothetical call, which may never be made. */
export type AskedCall = Pick<ToolCallData, "name" | "type" | "arguments">;

/** A model call outside the conversation. */
export interface SideCall {
  readonly messages: readonly Message[];
  /**
   * The messages continue the conversation, with its prompt and tools, so that the vendor's cache hits. Tool calls in
   * the answer are ignored.
   */
  readonly continuing?: boolean | undefined;
  /** A choice other than the conversation's may miss its cache. It is left out if the model does not support it. */
  readonly toolChoice?: ToolChoice | undefined;
  /** The only tools of the call. Calls to them are returned in the answer; nothing runs. */
  readonly tools?: readonly ToolDefinition[] | undefined;
  readonly maxTokens?: number | undefined;
  /** The required form of the answer, if the server can enforce it. */
  readonly responseFormat?: ResponseFormat | undefined;
  readonly reasoningEffort?: string | undefined;
  /** 2 minutes if absent. */
  readonly timeoutMs?: number | undefined;
  /** A shorter retry policy than the session's own: no attempt begins after `withinMs`. */
  readonly patience?: { readonly tries: number; readonly withinMs: number } | undefined;
  /** The answer is stored, and reused if the same is asked again on this branch, even by another process. */
  readonly reuse?: boolean | undefined;
}

/** The result of a model call outside the conversation. */
export interface SideAnswer {
  readonly text: string;
  /** Calls to the tools that the request offered. */
  readonly calls: readonly ToolCallData[];
  /** `provider/id` of the model that answered. */
  readonly model: string;
  readonly finish: string;
  readonly usage: Usage;
  /** US dollars. */
  readonly cost: number;
}

/** History that the vendor compacted. */
export interface VendorCompaction {
  readonly history: VendorHistory;
  /** Tokens in the context when it is sent back. */
  readonly tokens: number;
}

/** A call as hooks may still change it. */
export interface ProposedCall {
  readonly callId: string;
  readonly tool: ToolDef;
  readonly args: JsonObject;
  readonly tier: Tier;
  /** One line that says what the call does. */
  readonly summary: string;
  /** The running call that made this one; absent for a call of the model. */
  readonly within?: OuterCall | undefined;
}

/** A running call that makes another call. */
export interface OuterCall {
  readonly callId: string;
  readonly label: string;
  readonly summary: string;
}

/** A call whose arguments are final; it runs if approved. */
export interface CallInfo extends ProposedCall {
  /**
   * What it will touch; undefined if the tool does not declare it, in which case it needs approval above tier `read`.
   */
  readonly access: readonly Access[] | undefined;
  /** What the user would be shown. Made on first use; from then on the call can make only these changes. */
  preview(): Promise<Preview>;
}

/** A request that is about to be sent. */
export interface RequestInfo {
  readonly request: Request;
  /** The entry id of each message after the prefix; undefined if recovery filled in a result. */
  readonly entryIds: readonly (string | undefined)[];
  readonly contextTokens: number;
  /** A lower bound of the request's tokens, whatever the server counted. */
  readonly leastTokens?: number;
  readonly contextWindow: number;
  /** Absent for a model that is not in the catalog. */
  readonly modelInfo?: ModelInfo | undefined;
  /**
   * After an overflow: the window is smaller than assumed. `stated`: the server named the size; otherwise `tokens` is
   * an upper bound.
   */
  readonly refusedWindow?: { readonly tokens: number; readonly assumed: number; readonly stated: boolean };
  /** After an overflow: the request was accepted, but the answer did not fit after it. */
  readonly incomplete?: boolean;
}

/** A model call that failed for good: retrying is pointless, or the retries are used up. */
export interface FailedCall {
  readonly failure: InputError;
  readonly request: RequestInfo;
}

/** A call whose arguments are not valid JSON. */
export interface UnreadableCall {
  readonly name: string;
  /** The text in place of the arguments, or the whole call. */
  readonly written: string;
  readonly tools: readonly ToolDefinition[];
}

/** What a compaction puts in place of older history. */
export interface CompactionPlan {
  readonly reason: string;
  readonly summary: string;
  readonly shortSummary?: string | undefined;
  readonly firstKeptEntryId: string;
  readonly keep?: readonly string[] | undefined;
  readonly tokensBefore?: number | undefined;
  readonly preserveData?: PreservedData | undefined;
  /** For hosts and the next compaction; never sent. */
  readonly details?: JsonObject | undefined;
  /** Kept results that are emptied as well. */
  readonly prune?: readonly string[] | undefined;
}

/** A compaction whose summary is not made yet: the session emits `compaction_start`, then calls this. */
export interface CompactionDemand {
  readonly reason: string;
  /** Returns undefined if there is nothing to compact. `prune`: emptying these entries is enough. */
  summarize(
    context: SeamContext,
    wishes?: SummaryWishes,
  ): Promise<CompactionPlan | { readonly prune: readonly string[] } | undefined>;
}

/** The leaf is about to move to another entry of the tree. */
export interface TreeMove {
  /** The chosen entry; null for the start. */
  readonly targetId: string | null;
  readonly oldLeafId: string | null;
  readonly newLeafId: string | null;
  /** The last entry that both branches share; null if they share none. */
  readonly commonAncestorId: string | null;
  /** The entries that are left behind, oldest first. */
  readonly entriesToSummarize: readonly TreeEntry[];
  readonly userWantsSummary: boolean;
}

/** The summary of the branch that was left, inserted at the new leaf. */
export interface BranchSummary {
  readonly summary: string;
  readonly details?: JsonObject | undefined;
}

/** Another session is about to replace this one. */
export interface SessionSwitch {
  readonly reason: "new" | "resume" | "fork" | "move";
  /** Absent if the session is new or kept only in memory. */
  readonly sessionFile?: string | undefined;
}

/** Replaces the input, refuses it, or (undefined) leaves it as it is. */
export type InputVerdict = { readonly content: InputContent } | { readonly reject: string } | undefined;
/** Replaces the request, asks for compaction or pruning first, or (undefined) lets it be sent. */
export type RequestVerdict =
  | { readonly request: Request }
  | { readonly compact: CompactionPlan | CompactionDemand }
  | { readonly prune: readonly string[] }
  /** Goes back to an earlier entry of this branch and adds a summary of what was left. */
  | { readonly branch: { readonly to: string; readonly summary: string } }
  /** The hook made room itself, for example by choosing a larger model: build the request again. */
  | { readonly retry: true }
  | undefined;
/** How to make room for a request that is too long; undefined: ask the next hook. */
export type OverflowVerdict =
  | { readonly compact: CompactionPlan | CompactionDemand }
  | { readonly prune: readonly string[] }
  /** The hook made room itself, for example by choosing a larger model. */
  | { readonly retry: true }
  | undefined;
/**
 * The hook changed the cause of the failure, for example the model: build the request again. Undefined: ask the next
 * hook.
 */
export type FailureVerdict = { readonly retry: true } | undefined;
/**
 * The call as it was meant. Undefined: ask the next hook; if none can tell, the call is refused and the model reads
 * why.
 */
export type ReadVerdict = { readonly name: string; readonly arguments: JsonObject } | undefined;
/** Ends the stream now; `cut` is sent to the model as a user message, and the model answers again. */
export interface StreamCut {
  readonly cut: string;
  /** If set, discard the answer; this is the reason shown to the user. Otherwise its text so far is kept. */
  readonly discard?: string;
  /** The rules whose text `cut` contains; see `rulesInjected`. */
  readonly rules?: readonly string[];
}
/** Cuts the stream, or (undefined) lets the event pass. */
export type StreamVerdict = StreamCut | undefined;
/** Blocks the call with a reason for the model, replaces its arguments, or (undefined) lets it pass. */
export type CallVerdict = { readonly block: string } | { readonly args: JsonObject } | undefined;
/** Allows or denies the call, asks the user, or (undefined) has no opinion. */
export type ApprovalVerdict =
  | {
      readonly decision: "allow" | "deny" | "ask";
      readonly by?: string | undefined;
      readonly reason?: string | undefined;
      /** What was decided about each thing that the call touches, for the journal. */
      readonly parts?: readonly DecidedPart[] | undefined;
      /** Why the user was asked, and the rules that the answer added, for the journal. */
      readonly asked?: string | undefined;
      readonly remembered?: readonly string[] | undefined;
      /** Names of all middleware that asked for approval; set by the session. */
      readonly askedBy?: readonly string[] | undefined;
    }
  | undefined;
/** Continues the input with this message instead of ending it. */
export type StopVerdict = { readonly continueWith: InputContent } | undefined;
/** Sends the model a message before its next answer. */
export type RoundVerdict = { readonly tell: InputContent } | undefined;
/** Objects, supplies the summary, or (undefined) lets the move happen. */
export type TreeVerdict = { readonly cancel: string } | BranchSummary | undefined;
/** Objects, or (undefined) lets it happen. */
export type LeaveVerdict = { readonly cancel: string } | undefined;
/** What hooks contribute to a compaction. */
export interface SummaryWishes {
  /** If set, these notes replace older history and no model is asked. */
  readonly notes?: string | undefined;
  /** What the summary should focus on, unless the user said so. */
  readonly prompt?: string | undefined;
  /** Added to the prompt of the summarizing model. */
  readonly context?: readonly string[] | undefined;
  /** Stored with the compaction, never sent. */
  readonly preserveData?: PreservedData | undefined;
}

/** Contributes to a compaction, or cancels it. */
export type SummaryVerdict = SummaryWishes | { readonly cancel: string } | undefined;
/** Replaces the plan of a compaction, or cancels it. */
export type CompactVerdict = { readonly plan: CompactionPlan } | { readonly cancel: string } | undefined;

/** How an input has ended. */
export interface EndedInput {
  readonly reason: EndReason;
  readonly awaiting?: AwaitedInput | undefined;
}

/** Hooks around what a session does; each is optional, gets a signal and has a deadline. */
export interface Middleware {
  /** The name used in error messages. */
  readonly name: string;
  /** Deadline of each hook; the session's `hookTimeoutMs` if absent. */
  readonly timeoutMs?: number | undefined;
  onInput?(input: { readonly content: InputContent }, context: SeamContext): Promise<InputVerdict> | InputVerdict;
  /** A changed request must keep its prefix, unless the change follows from a compaction or prune. */
  beforeRequest?(info: RequestInfo, context: SeamContext): Promise<RequestVerdict> | RequestVerdict;
  onOverflow?(info: RequestInfo, context: SeamContext): Promise<OverflowVerdict> | OverflowVerdict;
  /** Not called for a request that is too long; that is the job of `onOverflow`. */
  onFailure?(call: FailedCall, context: SeamContext): Promise<FailureVerdict> | FailureVerdict;
  /**
   * Called before the answer is journalled: the returned call becomes part of the history. Not called for an answer cut
   * off at its limit.
   */
  onUnreadable?(call: UnreadableCall, context: SeamContext): Promise<ReadVerdict> | ReadVerdict;
  /** Hot path: called for every delta. */
  onStreamEvent?(event: StreamEvent, context: SeamContext): Promise<StreamVerdict> | StreamVerdict;
  beforeCall?(call: ProposedCall, context: SeamContext): Promise<CallVerdict> | CallVerdict;
  /** All are asked; deny beats ask beats allow. */
  approve?(call: CallInfo, context: SeamContext): Promise<ApprovalVerdict> | ApprovalVerdict;
  afterCall?(
    call: CallInfo,
    result: ToolResult,
    context: SeamContext,
  ): Promise<ToolResult | undefined> | ToolResult | undefined;
  /** Called when all calls of an answer have their results. */
  afterRound?(context: SeamContext): Promise<RoundVerdict> | RoundVerdict;
  /** Called when the model has nothing more to do. */
  beforeStop?(
    info: { readonly text: string; readonly rounds: number },
    context: SeamContext,
  ): Promise<StopVerdict> | StopVerdict;
  /**
   * Called when an input has ended, in whatever way: whether its work is proven. The first hook that answers decides.
   * It must be synchronous.
   */
  verdictAtEnd?(end: EndedInput, context: SeamContext): Verification | undefined;
  /** Called before a summary is requested; the first hook that answers decides. */
  beforeSummary?(
    wish: { readonly reason: string; readonly tokensBefore: number },
    context: SeamContext,
  ): Promise<SummaryVerdict> | SummaryVerdict;
  beforeCompact?(plan: CompactionPlan, context: SeamContext): Promise<CompactVerdict> | CompactVerdict;
  /** The first hook that cancels or supplies a summary decides. */
  beforeTree?(move: TreeMove, context: SeamContext): Promise<TreeVerdict> | TreeVerdict;
  /** Called before a new session starts from the history before this user message. */
  beforeBranch?(branch: { readonly entryId: string }, context: SeamContext): Promise<LeaveVerdict> | LeaveVerdict;
  beforeSwitch?(to: SessionSwitch, context: SeamContext): Promise<LeaveVerdict> | LeaveVerdict;
}
