// What a transcript is made of, as plain data: the same for what happens now and for what is read back from a journal.

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

/** What reached the model in the person's name, or from outside while it worked. */
export interface UserItem {
  readonly kind: "user";
  readonly text: string;
  readonly how: "sent" | "steered" | "queued";
  /** Names of what went with it: files, pictures. */
  readonly attached: readonly string[];
}

/** A picture that the user sent or a tool found. */
export interface PictureItem {
  readonly kind: "picture";
  /** "640x480 png, 34 kB". */
  readonly text: string;
  /** The bytes are drawn once; what is kept for later views has none. */
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
  /** While it runs: when it was allowed to begin. */
  readonly since?: number | undefined;
  readonly tookMs?: number | undefined;
  /** Who allowed or denied it, when there was a question. */
  readonly decision?: string | undefined;
  /** Output of a running call. */
  readonly live?: LiveLines | undefined;
}

/** Of a call that another one makes: it stands below that one, in no group. */
export const nestedCard = ({ group: _group, ...card }: Card): Card => ({ ...card, verb: `↳ ${card.verb}` });

export const shownCard = ({ card, nested_in }: Pick<EventData["tool_call_start"], "card" | "nested_in">): Card =>
  nested_in === undefined ? card : nestedCard(card);

/** The end of an output that is still growing. */
export interface LiveLines {
  /** The last ones, oldest first. */
  readonly lines: readonly string[];
  /** How many there were in all. */
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
  /** Read when a person asks for it. */
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
