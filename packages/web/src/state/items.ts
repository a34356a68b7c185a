// What a transcript is made of, as plain data: the same for what happens now and for what is read back from the journal.

import type { CommandData, WireEventOf } from "lathe/client";

/** An entry of the journal, as people see it. */
export type WireEntry = CommandData<"get_entries">["entries"][number];

/** How a call is shown; made by its tool. */
export type Card = WireEventOf<"tool_execution_start">["card"];
/** What a card shows below its headline. */
export type CardBody = NonNullable<Card["body"]>;

export type Item = UserItem | TextItem | ThinkingItem | CallItem | PictureItem | NoteItem | SummaryItem;

interface Keyed {
  /** Names the item as long as the page shows it. */
  readonly key: string;
}

/** What reached the model in the person's name. */
export interface UserItem extends Keyed {
  readonly kind: "user";
  readonly text: string;
  readonly how: "sent" | "steered" | "queued";
  /** Names of files that went with it. */
  readonly attached: readonly string[];
  readonly pictures: readonly Picture[];
}

/** A picture: its data in base64, or the entry that has it. */
export interface Picture {
  readonly mediaType?: string | undefined;
  readonly data?: string | undefined;
  /** Which of the pictures of which entry. */
  readonly place?: { readonly entryId: string; readonly at: number } | undefined;
}

/** Of an answer. */
interface PictureItem extends Keyed {
  readonly kind: "picture";
  readonly picture: Picture;
}

interface TextItem extends Keyed {
  readonly kind: "text";
  readonly text: string;
}

interface ThinkingItem extends Keyed {
  readonly kind: "thinking";
  readonly text: string;
}

/** `pending`: the answer makes the call, and it has not begun; it is not shown. */
type CallState = "pending" | "running" | "waiting" | "done" | "failed" | "skipped";

export interface CallItem extends Keyed {
  readonly kind: "call";
  readonly callId: string;
  /** The call that makes this one. */
  readonly nestedIn?: string | undefined;
  /** Absent while the call is pending. */
  readonly card?: Card | undefined;
  readonly state: CallState;
  /** What a running call has printed: the end of it. */
  readonly live: string;
  /** Who allowed or denied it, where there was a question. */
  readonly decision?: string | undefined;
  /** Of the result. */
  readonly pictures?: readonly Picture[] | undefined;
}

export interface NoteItem extends Keyed {
  readonly kind: "note";
  readonly note: "info" | "warning" | "error";
  readonly text: string;
  /** Shown on request. */
  readonly more?: string | undefined;
}

/** Everything above is known to the model as this summary. */
interface SummaryItem extends Keyed {
  readonly kind: "summary";
  readonly title: string;
  readonly text: string;
}
