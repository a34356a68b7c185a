// The lines of a session file that are not in the tree: intents and how they ended, decisions, titles, snapshots, prefixes, inputs.

import type { JsonValue, Usage } from "@lathe/llm";
import type { RequestAmounts } from "../base/budget/ledger.ts";
import type { PromptPart } from "./prompt-part.ts";
import type { Tier } from "./tool.ts";
import type { Verification } from "./verification.ts";

/** Written before an effect runs. `for` is the id its outcome entry will have. */
export interface IntentLine {
  readonly type: "intent";
  readonly id: string;
  readonly for: string;
  readonly effect: "request" | "tool" | "child" | "maintenance";
  readonly callId?: string;
  readonly tool?: string;
  readonly replay: "safe" | "never";
  /** The id of the call that makes this one. */
  readonly within?: string;
  /** Of a call inside a call, in one line: nothing else tells of it until it ends. */
  readonly summary?: string;
  /** The most that a request may cost, where a limit holds it. */
  readonly reserved?: RequestAmounts;
  readonly timestamp: string;
}

/** An effect that ended without an outcome entry (a failed request, a cancelled maintenance call). */
export interface SettleLine {
  readonly type: "settle";
  readonly intentId: string;
  readonly outcome: "failed" | "cancelled" | "interrupted";
  readonly error?: string;
  /** Tokens and money the failed attempt cost, when the vendor said. */
  readonly usage?: Usage;
  readonly cost?: number;
  /** What it may have cost besides: the vendor never said. */
  readonly uncertain?: RequestAmounts;
  readonly timestamp: string;
}
/** A permission decision. */
export interface DecisionLine {
  readonly type: "decision";
  readonly callId: string;
  /** The id of the call that makes this one. */
  readonly within?: string;
  readonly decision: "allow" | "deny";
  /** Who decided: a mode, a rule, the user, a host. */
  readonly by: string;
  readonly reason?: string;
  /** Why the user was asked; absent when the user was not. */
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
/** The session has a title. */
export interface TitleLine {
  readonly type: "title";
  readonly title: string;
  readonly source: "auto" | "user";
  readonly timestamp: string;
}
/** What the files were before and after calls that may change them, or a rewind; see snapshots/timeline.ts. */
export interface SnapshotLine {
  readonly type: "snapshot";
  /**
   * `joined`: the same moment as the `before` that precedes it, with more paths. `unrecorded`: calls follow whose changes cannot be
   * recorded.
   */
  readonly phase: "before" | "joined" | "after" | "unrecorded";
  /** The leaf at that time; after a rewind, the entry that was gone back to. */
  readonly entryId: string | null;
  /** The list of files; empty for a rewind of the conversation alone, and when nothing is recorded. */
  readonly blob: string;
  /** Why nothing is recorded. */
  readonly reason?: string;
  /** Paths that were there before and are covered from here on. */
  readonly found?: readonly string[];
  /** On a `before`: what follows is a rewind. It was cut off when its `after` is missing. */
  readonly rewind?: RewindRecord;
  /** On an `after`: the rewind left files as they were, so these are not the files of the entry. */
  readonly isPartial?: boolean;
  /** On an `after`: there was no room for the files of the rewind, so nothing was changed. */
  readonly isAbandoned?: boolean;
  readonly timestamp: string;
}
/** From where to where a rewind goes, and what it does. */
export interface RewindRecord {
  readonly to: string | null;
  /** The leaf before it. */
  readonly from: string | null;
  readonly files: boolean;
  readonly conversation: boolean;
  /** Blob that lists what is to be done to which file. */
  readonly plan: string;
  /** Position of the rewind that this one takes back, among the rewinds of the journal. */
  readonly takesBack?: number;
}
/** What comes before the history in every request, as first sent. Values are blob hashes of the exact text. */
export interface PrefixLine {
  readonly type: "prefix";
  readonly systemPrompt: string;
  readonly tools: string;
  readonly environment: string;
  readonly reason: string;
  /** Whose the stretches of the system prompt are. */
  readonly promptParts?: readonly PromptPart[];
  readonly timestamp: string;
}
/** One input began or ended; tells an unfinished run from a finished one. `entryId`: its user entry; on a `start` the model that was to answer, on an `end` its verdict. */
export interface InputLine {
  readonly type: "input";
  readonly state: "start" | "end";
  readonly entryId: string;
  readonly model?: string;
  readonly reason?: string;
  readonly verification?: Verification;
  readonly timestamp: string;
}
/** Any line a host or a later version adds; kept, never interpreted here. */
export interface HostLine {
  readonly type: "host";
  readonly kind: string;
  readonly data: JsonValue;
  readonly timestamp: string;
}

/** Written first when a file with a torn tail is opened again: the `torn` bytes before it were reported and are settled. */
export interface SealLine {
  readonly type: "seal";
  readonly torn: number;
  readonly timestamp: string;
}

/** Everything that has no place in the tree. */
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
