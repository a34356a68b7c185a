// Where everything that is not the loop plugs in: one ordered list of middleware. Every hook may be left out, gets a
// signal and has a deadline. A hook that fails is a warning, except before a call: then the call does not run.

import type { JsonObject, Request, StreamEvent } from "@lathe/llm";
import type { Access, Preview, Tier, ToolDef, ToolResult } from "../contract/tool.ts";
import type { InputContent } from "../events/types.ts";

export interface SeamContext {
  readonly sessionId: string;
  readonly agentId?: string;
  readonly signal: AbortSignal;
  readonly now: () => number;
}

/** A call as hooks may still change it. */
export interface ProposedCall {
  readonly callId: string;
  readonly tool: ToolDef;
  readonly args: JsonObject;
  readonly tier: Tier;
  /** In one line, for people. */
  readonly summary: string;
}

/** A call that will run as it stands, if it is allowed to. */
export interface CallInfo extends ProposedCall {
  /** What it will touch; undefined: the tool does not say, so above tier `read` somebody has to be asked. */
  readonly access: readonly Access[] | undefined;
  /** What a person would be shown. Made when first asked for; from then on the call can make no other changes than these. */
  preview(): Promise<Preview>;
}

export interface RequestInfo {
  readonly request: Request;
  /** Entry id of each message after the prefix; undefined where recovery filled in a result. */
  readonly entryIds: readonly (string | undefined)[];
  readonly contextTokens: number;
  readonly contextWindow: number;
}

/** What a compaction puts in the place of older history. */
export interface CompactionPlan {
  readonly reason: string;
  readonly summary: string;
  readonly shortSummary?: string;
  readonly firstKeptEntryId: string;
  readonly keep?: readonly string[];
  readonly tokensBefore?: number;
  readonly preserveData?: JsonObject;
}

export type InputVerdict = { readonly content: InputContent } | { readonly reject: string } | undefined;
export type RequestVerdict =
  | { readonly request: Request }
  | { readonly compact: CompactionPlan }
  | { readonly prune: readonly string[] }
  | undefined;
export type OverflowVerdict =
  | { readonly compact: CompactionPlan }
  | { readonly prune: readonly string[] }
  /** The hook has made room itself, for example by a larger model. */
  | { readonly retry: true }
  | undefined;
/** Ends the stream now; the text is given to the model as a user message and it is asked again. */
export type StreamVerdict = { readonly cut: string } | undefined;
export type CallVerdict = { readonly block: string } | { readonly args: JsonObject } | undefined;
export type ApprovalVerdict =
  | { readonly decision: "allow" | "deny" | "ask"; readonly by?: string; readonly reason?: string }
  | undefined;
export type StopVerdict = { readonly continueWith: InputContent } | undefined;
export type CompactVerdict = { readonly plan: CompactionPlan } | { readonly cancel: string } | undefined;

type Maybe<T> = T | Promise<T>;

export interface Middleware {
  /** For messages. */
  readonly name: string;
  /** Deadline of each of its hooks; the session's `hookTimeoutMs` when absent. */
  readonly timeoutMs?: number;
  onInput?(input: { readonly content: InputContent }, context: SeamContext): Maybe<InputVerdict>;
  /** A changed request must keep its prefix or be the consequence of a compaction or prune. */
  beforeRequest?(info: RequestInfo, context: SeamContext): Maybe<RequestVerdict>;
  onOverflow?(info: RequestInfo, context: SeamContext): Maybe<OverflowVerdict>;
  /** Hot: called for every delta. */
  onStreamEvent?(event: StreamEvent, context: SeamContext): Maybe<StreamVerdict>;
  beforeCall?(call: ProposedCall, context: SeamContext): Maybe<CallVerdict>;
  /** All are asked; deny beats ask beats allow. */
  approve?(call: CallInfo, context: SeamContext): Maybe<ApprovalVerdict>;
  afterCall?(call: CallInfo, result: ToolResult, context: SeamContext): Maybe<ToolResult | undefined>;
  /** The model has nothing more to do. */
  beforeStop?(info: { readonly text: string; readonly rounds: number }, context: SeamContext): Maybe<StopVerdict>;
  beforeCompact?(plan: CompactionPlan, context: SeamContext): Maybe<CompactVerdict>;
}

/**
 * Tools that come and go. Asked before every request: the same array means nothing changed. Names must not collide with
 * the profile's.
 */
export interface ToolProvider {
  tools(): readonly ToolDef[];
}
