// What is kept in memory of each line: its location and its position in the tree. Payloads stay in the store.

import type { InputLine, IntentLine, LabelEntry, OutsideLine, PrefixLine, TreeEntry } from "../../contract/journal.ts";
import type { EntryPlace } from "../../contract/journal-reader.ts";
import { copyInto, type LineSpan, SpanTable } from "./span-table.ts";

/** What is known about an entry without parsing it, and the location of its line. */
export interface EntryMeta extends EntryPlace, LineSpan {}

const NO_ROW = -1;

export class LineIndex {
  readonly labels = new Map<string, string>();
  leaf: string | null = null;
  /** Number of settle lines. */
  settled = 0;
  title: { readonly title: string; readonly source: "auto" | "user"; readonly offset: number } | undefined;
  prefix: PrefixLine | undefined;
  /** The last `input` line, which distinguishes an unfinished run from a finished one. */
  input: InputLine | undefined;
  /** The model that the last input was for, whether it answered or not. */
  inputModel: string | undefined;
  readonly #rows = new Map<string, number>();
  /** Ids of tree entries, by row. */
  readonly #ids: string[] = [];
  readonly #tree = new SpanTable();
  #parents = new Int32Array(64);
  readonly #outside = new SpanTable();
  readonly #intents = new Map<string, IntentLine>();
  /** Outcome id -> intent id, for open intents. */
  readonly #outcomes = new Map<string, string>();
  #family: Family | undefined;

  /** Intents without an outcome, oldest first. */
  get openIntents(): readonly IntentLine[] {
    return [...this.#intents.values()];
  }

  /** Ids of entries in file order. */
  get ids(): readonly string[] {
    return this.#ids;
  }

  /** True if an id is taken or reserved for an outcome. */
  has(id: string): boolean {
    return this.#rows.has(id) || this.#intents.has(id) || this.#outcomes.has(id);
  }

  hasEntry(id: string): boolean {
    return this.#rows.has(id);
  }

  meta(id: string): EntryMeta | undefined {
    const row = this.#rows.get(id);
    if (row === undefined) return undefined;
    const { offset, length } = this.#tree.span(row);
    return { id, type: this.#tree.kind(row), parentId: this.#ids[this.#parents[row]!] ?? null, offset, length };
  }

  /** The id must be new, and the parent an earlier entry. */
  addEntry(meta: EntryMeta): void {
    const row = this.#tree.add(meta.type, meta);
    if (row === this.#parents.length) this.#parents = copyInto(this.#parents, new Int32Array(row * 2));
    this.#parents[row] = meta.parentId === null ? NO_ROW : (this.#rows.get(meta.parentId) ?? NO_ROW);
    this.#ids.push(meta.id);
    this.#rows.set(meta.id, row);
    this.leaf = meta.id;
    const intent = this.#outcomes.get(meta.id);
    if (intent !== undefined) this.#settle(intent);
  }

  /** Reads what the index keeps of an entry's payload; called only for the kinds of `keepsPayload`. */
  addPayload(entry: TreeEntry): void {
    if (entry.type !== "label") return;
    const { targetId, label } = entry as LabelEntry;
    if (label === undefined) this.labels.delete(targetId);
    else this.labels.set(targetId, label);
  }

  addOutside(line: OutsideLine, span: LineSpan): void {
    this.#outside.add(line.type, span);
    switch (line.type) {
      case "intent":
        // An outcome id that already exists, or that another intent has reserved, cannot be used.
        if (this.has(line.id) || this.has(line.for)) break;
        this.#intents.set(line.id, line);
        this.#outcomes.set(line.for, line.id);
        break;
      case "settle":
        this.settled += 1;
        this.#settle(line.intentId);
        break;
      case "leaf":
        if (line.entryId === null || this.#rows.has(line.entryId)) this.leaf = line.entryId;
        break;
      case "title":
        this.title = { title: line.title, source: line.source, offset: span.offset };
        break;
      case "prefix":
        this.prefix = line;
        break;
      case "input":
        this.input = line;
        this.inputModel = line.model ?? this.inputModel;
        break;
    }
  }

  /** Lines outside the tree, oldest first. */
  outside(type: OutsideLine["type"]): IterableIterator<LineSpan> {
    return this.#outside.ofKind(type);
  }

  lastOutside(type: OutsideLine["type"]): LineSpan | undefined {
    return this.#outside.lastOfKind(type);
  }

  /** Oldest first; `null` gives the roots. */
  children(id: string | null): readonly string[] {
    if (this.#family?.size !== this.#tree.size) this.#family = new Family(this.#parents, this.#tree.size);
    const row = id === null ? NO_ROW : this.#rows.get(id);
    return row === undefined ? [] : this.#family.children(row).map((child) => this.#ids[child]!);
  }

  #settle(intentId: string): void {
    const intent = this.#intents.get(intentId);
    if (!intent) return;
    this.#intents.delete(intentId);
    this.#outcomes.delete(intent.for);
  }
}

/** Maps rows to the rows of their children; built on first use. */
class Family {
  readonly size: number;
  /** Shifted by one: the roots are the children of row -1. */
  readonly #first: Int32Array;
  readonly #next: Int32Array;

  constructor(parents: Int32Array, size: number) {
    this.size = size;
    this.#first = new Int32Array(size + 1).fill(NO_ROW);
    this.#next = new Int32Array(size);
    for (let row = size - 1; row >= 0; row--) {
      this.#next[row] = this.#first[parents[row]! + 1]!;
      this.#first[parents[row]! + 1] = row;
    }
  }

  children(parent: number): number[] {
    const rows: number[] = [];
    for (let row = this.#first[parent + 1]!; row !== NO_ROW; row = this.#next[row]!) rows.push(row);
    return rows;
  }
}

/** Whether the index needs the payload of these entries when a file is opened. */
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

/** Whether lines of this type outside the tree must be parsed when a file is opened; the others stay spans. */
export function isIndexedOutside(type: string): boolean {
  return INDEXED_OUTSIDE.has(type);
}
