// The lines of a session file that are outside the tree: intents and their outcomes, decisions, titles, snapshots,
// prefixes, inputs.

import type { JsonValue, Usage } from "@lathe/llm";
import type { RequestAmounts } from "../base/budget/ledger.ts";
import type { PromptPart } from "./prompt-part.ts";
import type { Tier } from "./tool.ts";
import type { Verification } from "./verification.ts";

/** Written before an effect runs. `for` is the id that its outcome entry will have. */
export interface IntentLine {
  readonly type: "intent";
  readonly id: string;
  readonly for: string;
  readonly effect: "request" | "tool" | "child" | "maintenance";
  readonly callId?: string;
  readonly tool?: string;
  readonly replay: "safe" | "never";
  /** The id of the call that made this one. */
  readonly within?: string;
  /** A nested call in one line; until it ends, nothing else describes it. */
  readonly summary?: string;
  /** The most that a request may cost, if a limit applies to it. */
  readonly reserved?: RequestAmounts;
  readonly timestamp: string;
}

/** An effect that ended without an outcome entry (a failed request, a cancelled maintenance call). */
export interface SettleLine {
  readonly type: "settle";
  readonly intentId: string;
  readonly outcome: "failed" | "cancelled" | "interrupted";
  readonly error?: string;
  /** Tokens and money that the failed attempt cost, if the vendor reported them. */
  readonly usage?: Usage;
  readonly cost?: number;
  /** What it may have cost in addition; the vendor did not report it. */
  readonly uncertain?: RequestAmounts;
  readonly timestamp: string;
}
/** A permission decision. */
export interface DecisionLine {
  readonly type: "decision";
  readonly callId: string;
  /** The id of the call that made this one. */
  readonly within?: string;
  readonly decision: "allow" | "deny";
  /** Who decided: a mode, a rule, the user, a host. */
  readonly by: string;
  readonly reason?: string;
  /** Why the user was asked; absent if the user was not asked. */
  readonly asked?: string;
  /** What was decided about each thing that the call touches, before the user was asked. */
  readonly parts?: readonly DecidedPart[];
  /** Rules that the answer added. */
  readonly remembered?: readonly string[];
  readonly timestamp: string;
}
/** What was decided about one thing that a call touches. */
export interface DecidedPart {
  readonly tier: Tier;
  /** A command, a path, a host, an address. */
  readonly what: string;
  readonly decision: "allow" | "ask" | "deny";
  readonly reason: string;
  /** The rule that decided. */
  readonly rule?: string;
}
/** The conversation continues from this entry; null: from the start. */
export interface LeafLine {
  readonly type: "leaf";
  readonly entryId: string | null;
  readonly timestamp: string;
}
/** Sets the title of the session. */
export interface TitleLine {
  readonly type: "title";
  readonly title: string;
  readonly source: "auto" | "user";
  readonly timestamp: string;
}
/** The state of files before and after calls that may change them, or a rewind; see snapshots/timeline.ts. */
export interface SnapshotLine {
  readonly type: "snapshot";
  /**
   * `joined`: the same moment as the preceding `before`, with more paths. `unrecorded`: calls follow whose changes
   * cannot be recorded.
   */
  readonly phase: "before" | "joined" | "after" | "unrecorded";
  /** The leaf at that time; after a rewind, the entry that the user went back to. */
  readonly entryId: string | null;
  /** The list of files; empty if a rewind affects only the conversation or nothing is recorded. */
  readonly blob: string;
  /** Why nothing is recorded. */
  readonly reason?: string;
  /** Paths that existed before and are covered from here on. */
  readonly found?: readonly string[];
  /** On a `before`: a rewind follows. It was interrupted if its `after` is missing. */
  readonly rewind?: RewindRecord;
  /** On an `after`: the rewind did not restore all files, so these are not the files of the entry. */
  readonly isPartial?: boolean;
  /** On an `after`: there was not enough space for the files of the rewind, so nothing was changed. */
  readonly isAbandoned?: boolean;
  readonly timestamp: string;
}
/** The start and target of a rewind, and what it does. */
export interface RewindRecord {
  readonly to: string | null;
  /** The leaf before the rewind. */
  readonly from: string | null;
  readonly files: boolean;
  readonly conversation: boolean;
  /** Blob that lists the action for each file. */
  readonly plan: string;
  /** Index, among the rewinds of the journal, of the rewind that this one undoes. */
  readonly takesBack?: number;
}
/** What precedes the history in every request, as first sent. Values are blob hashes of the exact text. */
export interface PrefixLine {
  readonly type: "prefix";
  readonly systemPrompt: string;
  readonly tools: string;
  readonly environment: string;
  readonly reason: string;
  /** The sources of the stretches of the system prompt. */
  readonly promptParts?: readonly PromptPart[];
  readonly timestamp: string;
}
/**
 * An input began or ended; distinguishes an unfinished run from a finished one. `entryId`: its user entry. A `start`
 * names the model that was to answer, an `end` has the verdict.
 */
export interface InputLine {
  readonly type: "input";
  readonly state: "start" | "end";
  readonly entryId: string;
  readonly model?: string;
  readonly reason?: string;
  readonly verification?: Verification;
  readonly timestamp: string;
}
/** Any line that a host or a later version adds; we keep it and never interpret it. */
export interface HostLine {
  readonly type: "host";
  readonly kind: string;
  readonly data: JsonValue;
  readonly timestamp: string;
}

/** Written first when a file with a torn tail is opened again: the `torn` bytes before it have been reported. */
export interface SealLine {
  readonly type: "seal";
  readonly torn: number;
  readonly timestamp: string;
}

/** Every line that is outside the tree. */
export type OutsideLine =
  | IntentLine
  | SettleLine
  | DecisionLine
  | LeafLine
  | TitleLine
  | SnapshotLine
  | PrefixLine
  | InputLine
  | HostLine
  | SealLine;
