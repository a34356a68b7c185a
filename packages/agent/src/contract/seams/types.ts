// Where everything that is not the loop plugs in: one ordered list of middleware. Every hook is optional, gets a
// signal and has a deadline. A hook that fails is a warning, except before a call: then the call does not run.

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

/** What a hook may use. All of it ends with `signal`. */
export interface SeamContext {
  readonly sessionId: string;
  readonly agentId?: string;
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly journal: JournalReader;
  /** Where the tools of the session work. */
  readonly env: ExecutionEnvironment;
  /** The next request as it stands. */
  nextRequest(): RequestInfo;
  /** What tools ask to have kept in mind, such as open tasks; as it is given to the model. */
  carriedTexts(): readonly string[];
  /** Asks a model outside the conversation. Journalled as maintenance and counted in the session's ledger; retried like any request. */
  callModel(role: string, call: SideCall): Promise<SideAnswer>;
  /** The messages in a form of the vendor's own; undefined where it has none. Journalled and counted like a call. */
  compactByVendor(messages: readonly Message[], timeoutMs: number): Promise<VendorCompaction | undefined>;
  /** Tells the person who uses the session; `code` is for programs. */
  warn(message: string, code: string): void;
  /** Journals that the model was given these rules, so that none is given twice on this branch, and announces it. */
  rulesInjected(names: readonly string[]): void;
  /** What a call would touch if it were made; undefined when that is unknown: no such tool, or wrong arguments. */
  accessOf(call: AskedCall): Promise<readonly Access[] | undefined>;
  /** What a person would be shown before they allow the call: its changes; undefined as above, or where the tool shows none. */
  previewOf(call: AskedCall): Promise<Preview | undefined>;
  /** Undefined when the user did not answer or cannot be asked. */
  ask(questions: readonly Question[]): Promise<readonly Answer[] | undefined>;
  /** What the session may spend, its children included. */
  readonly budget: {
    readonly spent: Amounts;
    /** Infinity where there is no limit. */
    readonly remaining: Amounts;
  };
}

/** A call that may never be made. */
export type AskedCall = Pick<ToolCallData, "name" | "type" | "arguments">;

/** A model call outside the conversation. */
export interface SideCall {
  readonly messages: readonly Message[];
  /** The messages follow the conversation, with its prompt and tools, so that the vendor's cache serves. Calls are ignored. */
  readonly continuing?: boolean | undefined;
  /** Another one than the conversation's may cost its cache. One that a model refuses is left out. */
  readonly toolChoice?: ToolChoice | undefined;
  /** The only tools; what is called is in the answer, and nothing runs. */
  readonly tools?: readonly ToolDefinition[] | undefined;
  readonly maxTokens?: number | undefined;
  /** What the text of the answer must be, where the server can enforce it. */
  readonly responseFormat?: ResponseFormat | undefined;
  readonly reasoningEffort?: string | undefined;
  /** 2 minutes when absent. */
  readonly timeoutMs?: number | undefined;
  /** Less patience than the session has with its own requests: no try begins after `withinMs`. */
  readonly patience?: { readonly tries: number; readonly withinMs: number } | undefined;
  /** The answer is kept, and given again without a call when the same is asked on this branch: a process may end in between. */
  readonly reuse?: boolean | undefined;
}

/** What a model call outside the conversation gave. */
export interface SideAnswer {
  readonly text: string;
  /** Calls of the tools that were given with the request. */
  readonly calls: readonly ToolCallData[];
  /** `provider/id` of the model that answered. */
  readonly model: string;
  readonly finish: string;
  readonly usage: Usage;
  /** US dollars. */
  readonly cost: number;
}

/** History as a vendor compacted it. */
export interface VendorCompaction {
  readonly history: VendorHistory;
  /** The size of the context when it is sent back. */
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
  /** The running call that makes this one; absent for a call of the model. */
  readonly within?: OuterCall | undefined;
}

/** A running call that makes another one. */
export interface OuterCall {
  readonly callId: string;
  readonly label: string;
  readonly summary: string;
}

/** A call that will run as is, if it is allowed to. */
export interface CallInfo extends ProposedCall {
  /** What it will touch; undefined: the tool does not say, so above tier `read` it needs approval. */
  readonly access: readonly Access[] | undefined;
  /** What a person would be shown. Made when first asked for; from then on the call can make no other changes than these. */
  preview(): Promise<Preview>;
}

/** A request that is about to be sent. */
export interface RequestInfo {
  readonly request: Request;
  /** Entry id of each message after the prefix; undefined where recovery filled in a result. */
  readonly entryIds: readonly (string | undefined)[];
  readonly contextTokens: number;
  /** It takes no fewer, whatever the server counted. */
  readonly leastTokens?: number;
  readonly contextWindow: number;
  /** Absent for a model that is not in the catalog. */
  readonly modelInfo?: ModelInfo | undefined;
  /** After an overflow: the window is smaller than was assumed. `stated`: the server named it; else no more than `tokens` can fit. */
  readonly refusedWindow?: { readonly tokens: number; readonly assumed: number; readonly stated: boolean };
  /** After an overflow: the request was taken, but its answer did not fit behind it. */
  readonly incomplete?: boolean;
}

/** A model call that failed for good: it is not worth trying again, or was tried often enough. */
export interface FailedCall {
  readonly failure: InputError;
  readonly request: RequestInfo;
}

/** A call whose arguments are no JSON. */
export interface UnreadableCall {
  readonly name: string;
  /** What stands where the arguments belong, or the whole call. */
  readonly written: string;
  readonly tools: readonly ToolDefinition[];
}

/** What a compaction puts in the place of older history. */
export interface CompactionPlan {
  readonly reason: string;
  readonly summary: string;
  readonly shortSummary?: string | undefined;
  readonly firstKeptEntryId: string;
  readonly keep?: readonly string[] | undefined;
  readonly tokensBefore?: number | undefined;
  readonly preserveData?: PreservedData | undefined;
  /** For hosts and for the next compaction; never sent. */
  readonly details?: JsonObject | undefined;
  /** Results among what is kept that are emptied as well. */
  readonly prune?: readonly string[] | undefined;
}

/** A compaction whose summary is still to be made: `compaction_start` comes first, then this is asked. */
export interface CompactionDemand {
  readonly reason: string;
  /** Undefined: there is nothing to compact. `prune`: it is enough to empty these. */
  summarize(
    context: SeamContext,
    wishes?: SummaryWishes,
  ): Promise<CompactionPlan | { readonly prune: readonly string[] } | undefined>;
}

/** The leaf is about to go to another place of the tree. */
export interface TreeMove {
  /** The entry that was chosen; null: the start. */
  readonly targetId: string | null;
  readonly oldLeafId: string | null;
  readonly newLeafId: string | null;
  /** The last entry that both branches share; null when they share none. */
  readonly commonAncestorId: string | null;
  /** What is left behind, oldest first. */
  readonly entriesToSummarize: readonly TreeEntry[];
  readonly userWantsSummary: boolean;
}

/** Stands at the new place for the work that was left. */
export interface BranchSummary {
  readonly summary: string;
  readonly details?: JsonObject | undefined;
}

/** Another session is about to take the place of this one. */
export interface SessionSwitch {
  readonly reason: "new" | "resume" | "fork" | "move";
  /** Absent: it is new, or kept in memory only. */
  readonly sessionFile?: string | undefined;
}

/** Replaces the input, refuses it, or (undefined) leaves it as it is. */
export type InputVerdict = { readonly content: InputContent } | { readonly reject: string } | undefined;
/** Replaces the request, asks for compaction or pruning first, or (undefined) lets it go out. */
export type RequestVerdict =
  | { readonly request: Request }
  | { readonly compact: CompactionPlan | CompactionDemand }
  | { readonly prune: readonly string[] }
  /** Goes back to an earlier entry of this branch and puts a summary of what was left there. */
  | { readonly branch: { readonly to: string; readonly summary: string } }
  /** The hook has made room itself, for example by a larger model: the request is made anew. */
  | { readonly retry: true }
  | undefined;
/** How room was or is to be made for a request that is too long; undefined: another hook may know. */
export type OverflowVerdict =
  | { readonly compact: CompactionPlan | CompactionDemand }
  | { readonly prune: readonly string[] }
  /** The hook has made room itself, for example by a larger model. */
  | { readonly retry: true }
  | undefined;
/** The hook has changed what failed, for example the model: the request is made anew. Undefined: another hook may know. */
export type FailureVerdict = { readonly retry: true } | undefined;
/** The call as it was meant. Undefined: another hook may know; at last it is refused, and the model reads why. */
export type ReadVerdict = { readonly name: string; readonly arguments: JsonObject } | undefined;
/** Ends the stream now; `cut` is given to the model as a user message and it is asked again. */
export interface StreamCut {
  readonly cut: string;
  /** Why, for people: nothing of the answer is kept. Absent: its text so far is. */
  readonly discard?: string;
  /** Rules whose text `cut` is; see `rulesInjected`. */
  readonly rules?: readonly string[];
}
/** Cuts the stream, or (undefined) lets the event through. */
export type StreamVerdict = StreamCut | undefined;
/** Blocks the call with a reason for the model, replaces its arguments, or (undefined) lets it pass. */
export type CallVerdict = { readonly block: string } | { readonly args: JsonObject } | undefined;
/** Allows or denies the call, asks a person, or (undefined) has no opinion. */
export type ApprovalVerdict =
  | {
      readonly decision: "allow" | "deny" | "ask";
      readonly by?: string | undefined;
      readonly reason?: string | undefined;
      /** What was decided about each thing that the call touches, for the journal. */
      readonly parts?: readonly DecidedPart[] | undefined;
      /** Why the user was asked, and rules that the answer added: for the journal. */
      readonly asked?: string | undefined;
      readonly remembered?: readonly string[] | undefined;
      /** Names of all middleware that want a person to be asked; set by the session. */
      readonly askedBy?: readonly string[] | undefined;
    }
  | undefined;
/** Continues the input with this message instead of ending it. */
export type StopVerdict = { readonly continueWith: InputContent } | undefined;
/** Gives the model a message before its next answer. */
export type RoundVerdict = { readonly tell: InputContent } | undefined;
/** Objects, gives the summary, or (undefined) lets it happen. */
export type TreeVerdict = { readonly cancel: string } | BranchSummary | undefined;
/** Objects, or (undefined) lets it happen. */
export type LeaveVerdict = { readonly cancel: string } | undefined;
/** What hooks want of a compaction. */
export interface SummaryWishes {
  /** These stand for older history, and no model is asked. */
  readonly notes?: string | undefined;
  /** What the summary should pay attention to, unless the user said that. */
  readonly prompt?: string | undefined;
  /** Given to the model that summarizes. */
  readonly context?: readonly string[] | undefined;
  /** Stored with the compaction, never sent. */
  readonly preserveData?: PreservedData | undefined;
}

/** Says what a compaction should respect, or cancels it. */
export type SummaryVerdict = SummaryWishes | { readonly cancel: string } | undefined;
/** Replaces the plan of a compaction, or cancels it. */
export type CompactVerdict = { readonly plan: CompactionPlan } | { readonly cancel: string } | undefined;

/** How an input has ended. */
export interface EndedInput {
  readonly reason: EndReason;
  readonly awaiting?: AwaitedInput | undefined;
}

/** Hooks around what a session does; every one is optional, gets a signal and has a deadline. */
export interface Middleware {
  /** What error messages call it. */
  readonly name: string;
  /** Deadline of each of its hooks; the session's `hookTimeoutMs` when absent. */
  readonly timeoutMs?: number | undefined;
  onInput?(input: { readonly content: InputContent }, context: SeamContext): Promise<InputVerdict> | InputVerdict;
  /** A changed request must keep its prefix or be the consequence of a compaction or prune. */
  beforeRequest?(info: RequestInfo, context: SeamContext): Promise<RequestVerdict> | RequestVerdict;
  onOverflow?(info: RequestInfo, context: SeamContext): Promise<OverflowVerdict> | OverflowVerdict;
  /** Not for a request that is too long: that is `onOverflow`'s. */
  onFailure?(call: FailedCall, context: SeamContext): Promise<FailureVerdict> | FailureVerdict;
  /** Before the answer is journalled: what is read here stands in the history. Not for an answer that ended at its limit. */
  onUnreadable?(call: UnreadableCall, context: SeamContext): Promise<ReadVerdict> | ReadVerdict;
  /** Hot: called for every delta. */
  onStreamEvent?(event: StreamEvent, context: SeamContext): Promise<StreamVerdict> | StreamVerdict;
  beforeCall?(call: ProposedCall, context: SeamContext): Promise<CallVerdict> | CallVerdict;
  /** All are asked; deny beats ask beats allow. */
  approve?(call: CallInfo, context: SeamContext): Promise<ApprovalVerdict> | ApprovalVerdict;
  afterCall?(
    call: CallInfo,
    result: ToolResult,
    context: SeamContext,
  ): Promise<ToolResult | undefined> | ToolResult | undefined;
  /** All calls of an answer have their results. */
  afterRound?(context: SeamContext): Promise<RoundVerdict> | RoundVerdict;
  /** The model has nothing more to do. */
  beforeStop?(
    info: { readonly text: string; readonly rounds: number },
    context: SeamContext,
  ): Promise<StopVerdict> | StopVerdict;
  /** The input has ended, in whatever way: whether its work is proven. The first that knows decides. It must answer at once. */
  verdictAtEnd?(end: EndedInput, context: SeamContext): Verification | undefined;
  /** A summary is about to be asked for; the first that answers decides. */
  beforeSummary?(
    wish: { readonly reason: string; readonly tokensBefore: number },
    context: SeamContext,
  ): Promise<SummaryVerdict> | SummaryVerdict;
  beforeCompact?(plan: CompactionPlan, context: SeamContext): Promise<CompactVerdict> | CompactVerdict;
  /** The first that cancels or gives a summary decides. */
  beforeTree?(move: TreeMove, context: SeamContext): Promise<TreeVerdict> | TreeVerdict;
  /** A new session is about to begin with what came before this message of the user. */
  beforeBranch?(branch: { readonly entryId: string }, context: SeamContext): Promise<LeaveVerdict> | LeaveVerdict;
  beforeSwitch?(to: SessionSwitch, context: SeamContext): Promise<LeaveVerdict> | LeaveVerdict;
}
