// The state of a transcript, and adding items to it.

import type { Item, NoteItem } from "./items.ts";

export interface Transcript {
  readonly items: readonly Item[];
  /** How many items were made; gives the next ones their keys. */
  readonly made: number;
  /** Where the items of the streaming answer begin. */
  readonly answerFrom?: number | undefined;
  /** Whether an input is being worked on. */
  readonly isBusy: boolean;
  /** Whether the input has had a turn: further messages of the user steer it. */
  readonly hasTurns: boolean;
  /** What is being done, where no item shows it. */
  readonly activity?: string | undefined;
}

export const EMPTY_TRANSCRIPT: Transcript = { items: [], made: 0, isBusy: false, hasTurns: false };

type WithoutKey<T> = T extends Item ? Omit<T, "key"> : never;
/** An item without a key. */
export type ItemDraft = WithoutKey<Item>;

export const add = (transcript: Transcript, ...drafts: readonly ItemDraft[]): Transcript => ({
  ...transcript,
  items: [...transcript.items, ...drafts.map((draft, at) => ({ ...draft, key: `n${transcript.made + at}` }) as Item)],
  made: transcript.made + drafts.length,
});

export const addNote = (transcript: Transcript, note: NoteItem["note"], text: string): Transcript =>
  add(transcript, { kind: "note", note, text });

/** The list with the item at this index replaced. */
export const replaceItem = (items: readonly Item[], at: number, item: Item): readonly Item[] => [
  ...items.slice(0, at),
  item,
  ...items.slice(at + 1),
];
