// The items of a transcript as plain data: the same for live events and for a journal.

import type { Card, EventData } from "@lathe/agent";

export type Item =
  | UserItem
  | PictureItem
  | TextItem
  | ThinkingItem
  | CallItem
  | NoteItem
  | CompactionItem
  | TurnItem
  | ChildItem;

/** A message of the user: an input, steering or a queued message. */
export interface UserItem {
  readonly kind: "user";
  readonly text: string;
  readonly how: "sent" | "steered" | "queued";
  /** Names of attached files and pictures. */
  readonly attached: readonly string[];
}

/** A picture that the user sent or a tool found. */
export interface PictureItem {
  readonly kind: "picture";
  /** Such as "640x480 png, 34 kB". */
  readonly text: string;
  /** The bytes are drawn once; items kept for later views have none. */
  readonly file?: Uint8Array | undefined;
}

interface TextItem {
  readonly kind: "text";
  readonly text: string;
}

export interface ThinkingItem {
  readonly kind: "thinking";
  readonly text: string;
  readonly tookMs?: number | undefined;
}

export interface CallItem {
  readonly kind: "call";
  readonly card: Card;
  readonly state: "waiting" | "running" | "done" | "failed" | "skipped" | "cut off";
  /** While the call runs: when it was allowed to begin. */
  readonly since?: number | undefined;
  readonly tookMs?: number | undefined;
  /** Who allowed or denied the call, if that was asked. */
  readonly decision?: string | undefined;
  /** Output of a running call. */
  readonly live?: LiveLines | undefined;
}

/** The card of a nested call: shown below the outer call, in no group. */
export const nestedCard = ({ group: _group, ...card }: Card): Card => ({ ...card, verb: `↳ ${card.verb}` });

export const displayCard = ({ card, nested_in }: Pick<EventData["tool_call_start"], "card" | "nested_in">): Card =>
  nested_in === undefined ? card : nestedCard(card);

/** The end of an output that is still growing. */
export interface LiveLines {
  /** The last lines, oldest first. */
  readonly lines: readonly string[];
  /** The number of all lines. */
  readonly total: number;
}

export type NoteKind = "info" | "warning" | "error" | "decision";

export interface NoteItem {
  readonly kind: "note";
  readonly text: string;
  readonly note: NoteKind;
}

export interface CompactionItem {
  readonly kind: "compaction";
  readonly tokensBefore: number;
  readonly tokensAfter?: number | undefined;
  /** Read when the user expands it. */
  readonly summary?: (() => string | undefined) | undefined;
}

/** The end of an input. */
export interface TurnItem {
  readonly kind: "turn";
  readonly model: string;
  readonly tookMs: number;
  readonly tokensIn: number;
  readonly tokensCached: number;
  readonly tokensOut: number;
  readonly cost: number;
}

export interface ChildItem {
  readonly kind: "child";
  readonly agentId: string;
  readonly task: string;
  readonly state: "running" | "done" | "failed";
  readonly cost: number;
  /** What it does now. */
  readonly last: string;
  readonly since: number;
  readonly tookMs?: number | undefined;
}

export const userItem = (
  text: string,
  how: UserItem["how"],
  attached: readonly { readonly name: string }[],
): UserItem => ({
  kind: "user",
  text,
  how,
  attached: attached.map(({ name }) => name),
});
