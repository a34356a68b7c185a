// The items of a transcript, as plain data: the same for live events and for entries from the journal.

import type { CommandData, WireEventOf } from "lathe/client";

/** An entry of the journal, in the form for display. */
export type WireEntry = CommandData<"get_entries">["entries"][number];

/** The display of a call, made by its tool. */
export type Card = WireEventOf<"tool_execution_start">["card"];
/** What a card shows below its headline. */
export type CardBody = NonNullable<Card["body"]>;

export type Item = UserItem | TextItem | ThinkingItem | CallItem | PictureItem | NoteItem | SummaryItem;

interface Keyed {
  /** Identifies the item as long as the page shows it. */
  readonly key: string;
}

/** Text that went to the model in the user's name. */
export interface UserItem extends Keyed {
  readonly kind: "user";
  readonly text: string;
  readonly how: "sent" | "steered" | "queued";
  /** Names of attached files. */
  readonly attached: readonly string[];
  readonly pictures: readonly Picture[];
}

/** A picture: its data in base64, or the entry that contains it. */
export interface Picture {
  readonly mediaType?: string | undefined;
  readonly data?: string | undefined;
  /** The entry, and the index among its pictures. */
  readonly place?: { readonly entryId: string; readonly at: number } | undefined;
}

/** A picture in an answer. */
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

/** `pending`: the call is in the answer but has not begun; it is not shown. */
type CallState = "pending" | "running" | "waiting" | "done" | "failed" | "skipped";

export interface CallItem extends Keyed {
  readonly kind: "call";
  readonly callId: string;
  /** The call that made this one. */
  readonly nestedIn?: string | undefined;
  /** Absent while the call is pending. */
  readonly card?: Card | undefined;
  readonly state: CallState;
  /** The tail of a running call's output. */
  readonly live: string;
  /** Who allowed or denied it, if there was a question. */
  readonly decision?: string | undefined;
  /** Pictures in its result. */
  readonly pictures?: readonly Picture[] | undefined;
}

export interface NoteItem extends Keyed {
  readonly kind: "note";
  readonly note: "info" | "warning" | "error";
  readonly text: string;
  /** Details shown on request. */
  readonly more?: string | undefined;
}

/** The model knows everything above only as this summary. */
interface SummaryItem extends Keyed {
  readonly kind: "summary";
  readonly title: string;
  readonly text: string;
}
