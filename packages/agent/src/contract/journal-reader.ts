// What hooks and tools may read of a session's journal. The class `Journal` fulfils it; nothing here can write.

import type { JsonValue, Message } from "@lathe/llm";
import type { OutsideLine, SessionHeader, TreeEntry } from "./journal.ts";

/** The session's journal, to read. */
export interface JournalReader {
  readonly header: SessionHeader;
  /** The entry that the conversation continues from; null before the first. */
  readonly leaf: string | null;
  /** What the model sees at the leaf. */
  readonly context: Context;
  readonly title: { readonly title: string; readonly source: "auto" | "user" } | undefined;
  /** Names of entries, by entry id. */
  readonly labels: ReadonlyMap<string, string>;
  has(id: string): boolean;
  /** The place of an entry in the tree, without parsing it. */
  meta(id: string): EntryPlace | undefined;
  entry(id: string): TreeEntry;
  /** Ids in file order. */
  entryIds(): IterableIterator<string>;
  /** Lines outside the tree of one kind, oldest first. */
  outside<T extends OutsideLine["type"]>(type: T): IterableIterator<Extract<OutsideLine, { type: T }>>;
}

/** What is known of an entry without parsing it. */
export interface EntryPlace {
  readonly id: string;
  readonly type: string;
  readonly parentId: string | null;
}

/** What the model is sent of a journal, besides the prefix. */
export interface Context {
  /** Always a legal history: every tool call is followed by exactly one result, in call order. */
  readonly messages: readonly Message[];
  /** The entry each message comes from; undefined for a result that was filled in. */
  readonly entryIds: readonly (string | undefined)[];
  readonly state: ContextState;
  /** Something of the path is not sent, or not whole. */
  readonly isShortened: boolean;
}

/** Settings in effect at a leaf, as the entries on its path have set them. */
export interface ContextState {
  /** Chosen model per role, as `provider/id`; see `modelFor`. */
  readonly models: Readonly<Record<string, string>>;
  /** The model of the last answer. */
  readonly lastModel?: string;
  readonly thinkingLevel: string;
  /** The requested level, also "off"; absent while the model's own default applies. */
  readonly chosenLevel?: string;
  readonly serviceTier: string | null;
  readonly mode: string;
  readonly modeData?: JsonValue;
  readonly injectedRules: readonly string[];
  readonly mcpTools?: readonly string[];
}
