// Read access to a session's journal for hooks and tools. The class `Journal` implements it.

import type { JsonValue, Message } from "@lathe/llm";
import type { OutsideLine, SessionHeader, TreeEntry } from "./journal.ts";

/** Read access to the session's journal. */
export interface JournalReader {
  readonly header: SessionHeader;
  /** The entry that the conversation continues from; null before the first entry. */
  readonly leaf: string | null;
  /** What the model sees at the leaf. */
  readonly context: Context;
  readonly title: { readonly title: string; readonly source: "auto" | "user" } | undefined;
  /** Names of entries, by entry id. */
  readonly labels: ReadonlyMap<string, string>;
  has(id: string): boolean;
  /** The position of an entry in the tree, without parsing the entry. */
  meta(id: string): EntryPlace | undefined;
  entry(id: string): TreeEntry;
  /** Ids in file order. */
  entryIds(): IterableIterator<string>;
  /** Lines outside the tree of one kind, oldest first. */
  outside<T extends OutsideLine["type"]>(type: T): IterableIterator<Extract<OutsideLine, { type: T }>>;
}

/** What is known about an entry without parsing it. */
export interface EntryPlace {
  readonly id: string;
  readonly type: string;
  readonly parentId: string | null;
}

/** What a request sends from the journal, besides the prefix. */
export interface Context {
  /** Always a legal history: every tool call is followed by exactly one result, in call order. */
  readonly messages: readonly Message[];
  /** The entry that each message comes from; undefined for a result that was filled in. */
  readonly entryIds: readonly (string | undefined)[];
  readonly state: ContextState;
  /** Part of the path is left out or shortened. */
  readonly isShortened: boolean;
}

/** The settings in effect at a leaf, as set by the entries on its path. */
export interface ContextState {
  /** The chosen model per role, as `provider/id`; see `modelFor`. */
  readonly models: Readonly<Record<string, string>>;
  /** The model of the last answer. */
  readonly lastModel?: string;
  readonly thinkingLevel: string;
  /** The requested level, including "off"; absent while the model's default applies. */
  readonly chosenLevel?: string;
  readonly serviceTier: string | null;
  readonly mode: string;
  readonly modeData?: JsonValue;
  readonly injectedRules: readonly string[];
  readonly mcpTools?: readonly string[];
}
