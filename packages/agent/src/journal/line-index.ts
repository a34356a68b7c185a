// What is kept in memory of each line: where it is and how it hangs in the tree. Payloads stay in the store.

import type { InputLine, IntentLine, LabelEntry, OutsideLine, PrefixLine, TreeEntry } from "./types.ts";

export interface LineSpan {
  readonly offset: number;
  /** Without the newline. */
  readonly length: number;
}

export interface EntryMeta extends LineSpan {
  readonly id: string;
  readonly type: string;
  readonly parentId: string | null;
}

export interface OutsideMeta extends LineSpan {
  readonly type: string;
}

export class LineIndex {
  readonly entries = new Map<string, EntryMeta>();
  readonly outside: OutsideMeta[] = [];
  readonly labels = new Map<string, string>();
  leaf: string | null = null;
  title: { readonly title: string; readonly source: "auto" | "user"; readonly offset: number } | undefined;
  prefix: PrefixLine | undefined;
  /** The last `input` line: tells a cut run from a finished one. */
  input: InputLine | undefined;
  readonly #intents = new Map<string, IntentLine>();
  /** Outcome id -> intent id, of open intents. */
  readonly #outcomes = new Map<string, string>();
  #children: Map<string | null, string[]> | undefined;

  /** Intents without an outcome, oldest first. */
  get openIntents(): readonly IntentLine[] {
    return [...this.#intents.values()];
  }

  /** True for an id that is taken or promised to an outcome. */
  has(id: string): boolean {
    return this.entries.has(id) || this.#intents.has(id) || this.#outcomes.has(id);
  }

  addEntry(meta: EntryMeta): void {
    this.entries.set(meta.id, meta);
    this.leaf = meta.id;
    if (this.#children) push(this.#children, meta.parentId, meta.id);
    const intent = this.#outcomes.get(meta.id);
    if (intent !== undefined) this.#settle(intent);
  }

  /** Reads what the index keeps of an entry's payload; only called for the kinds that `keepsPayload` names. */
  addPayload(entry: TreeEntry): void {
    if (entry.type !== "label") return;
    const { targetId, label } = entry as LabelEntry;
    if (label === undefined) this.labels.delete(targetId);
    else this.labels.set(targetId, label);
  }

  addOutside(line: OutsideLine, span: LineSpan): void {
    this.outside.push({ type: line.type, offset: span.offset, length: span.length });
    switch (line.type) {
      case "intent":
        this.#intents.set(line.id, line);
        this.#outcomes.set(line.for, line.id);
        break;
      case "settle":
        this.#settle(line.intentId);
        break;
      case "leaf":
        if (line.entryId === null || this.entries.has(line.entryId)) this.leaf = line.entryId;
        break;
      case "title":
        this.title = { title: line.title, source: line.source, offset: span.offset };
        break;
      case "prefix":
        this.prefix = line;
        break;
      case "input":
        this.input = line;
        break;
    }
  }

  /** Oldest first; `null` gives the roots. */
  children(id: string | null): readonly string[] {
    if (!this.#children) {
      this.#children = new Map();
      for (const meta of this.entries.values()) push(this.#children, meta.parentId, meta.id);
    }
    return this.#children.get(id) ?? [];
  }

  #settle(intentId: string): void {
    const intent = this.#intents.get(intentId);
    if (!intent) return;
    this.#intents.delete(intentId);
    this.#outcomes.delete(intent.for);
  }
}

/** Entries whose payload the index needs when a file is opened. */
export function keepsPayload(type: string): boolean {
  return type === "label";
}

const INDEXED_OUTSIDE: ReadonlySet<string> = new Set<OutsideLine["type"]>([
  "intent",
  "settle",
  "leaf",
  "title",
  "prefix",
  "input",
  "seal",
]);

/** Lines outside the tree that must be parsed when a file is opened; the others stay spans. */
export function isIndexedOutside(type: string): boolean {
  return INDEXED_OUTSIDE.has(type);
}

function push(map: Map<string | null, string[]>, key: string | null, id: string): void {
  const list = map.get(key);
  if (list) list.push(id);
  else map.set(key, [id]);
}
