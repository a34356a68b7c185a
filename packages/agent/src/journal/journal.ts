// The one truth of a session: a tree of entries and the lines beside it, over an append-only store. Appends are
// synchronous: when a call returns, its line has been handed to the system.

import type { BlobStore } from "../blobs/store.ts";
import { ContextView } from "./context.ts";
import { JournalError } from "./errors.ts";
import { encodeLine, parseLine } from "./line.ts";
import { type EntryMeta, LineIndex, type LineSpan } from "./line-index.ts";
import { repairMissing } from "./missing.ts";
import { fromStored, mentionsBlob, toStored } from "./payload.ts";
import { scan } from "./scan.ts";
import { type JournalStore, MemoryStore } from "./store.ts";
import {
  type IntentLine,
  JOURNAL_VERSION,
  type JournalLoss,
  type OutsideLine,
  type SessionHeader,
  type SettleLine,
  type TreeEntry,
} from "./types.ts";

/** `none`: never fsync. `turn`: at each turn end. `intent`: also before each effect that must not run twice. */
export type SyncMode = "none" | "turn" | "intent";

export interface JournalDeps {
  readonly blobs: BlobStore;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Candidates for entry ids (8 characters); see `idSource`. */
  readonly newId: () => string;
  readonly sync?: SyncMode;
}

type Distribute<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
/** A tree entry without what the journal assigns; `id` may be one from `newId()`. */
export type NewEntry = Distribute<TreeEntry, "id" | "parentId" | "timestamp"> & { readonly id?: string };
export type NewLine = Distribute<Exclude<OutsideLine, { type: "seal" | "leaf" | "intent" }>, "timestamp">;
export type NewHeader = Omit<SessionHeader, "type" | "version" | "timestamp"> & { readonly timestamp?: string };
export type NewIntent = Omit<IntentLine, "type" | "id" | "for" | "timestamp"> & { readonly for?: string };

/** Entries kept parsed; the rest is read again when asked for. */
const RECENT_ENTRIES = 64;

export class Journal {
  readonly header: SessionHeader;
  readonly blobs: BlobStore;
  /** What opening (or reading a missing blob) had to give up. Show it. */
  readonly losses: JournalLoss[];
  /** Follows the leaf; its cost per appended entry is constant. */
  readonly context: ContextView;
  readonly #deps: JournalDeps;
  readonly #index: LineIndex;
  readonly #recent = new Map<string, TreeEntry>();
  readonly #reserved = new Set<string>();
  #store: JournalStore;
  /** The file ends inside a line; dealt with by the first write. */
  #sealTail: { readonly bytes: number; readonly whole: boolean } | undefined;
  /** Set until the first message: a session nobody spoke in leaves no file. */
  #openStore: (() => JournalStore) | undefined;

  private constructor(
    deps: JournalDeps,
    opened: { header: SessionHeader; index: LineIndex; losses: JournalLoss[] },
    store: JournalStore,
    openStore?: () => JournalStore,
  ) {
    this.#deps = deps;
    this.blobs = deps.blobs;
    this.header = opened.header;
    this.losses = opened.losses;
    this.#index = opened.index;
    this.#store = store;
    this.#openStore = openStore;
    this.context = new ContextView({ meta: (id) => this.#index.entries.get(id), entry: (id) => this.entry(id) });
  }

  /** A new session. `openStore` is called with the first message or intent; until then lines are held in memory. */
  static create(header: NewHeader, openStore: () => JournalStore, deps: JournalDeps): Journal {
    const full: SessionHeader = {
      type: "session",
      version: JOURNAL_VERSION,
      timestamp: new Date(deps.now()).toISOString(),
      ...header,
    };
    const held = new MemoryStore(encodeLine(full));
    return new Journal(deps, { header: full, index: new LineIndex(), losses: [] }, held, openStore);
  }

  /** Opens what is there. Throws a JournalError instead of guessing when the header is unreadable. */
  static open(store: JournalStore, deps: JournalDeps): Journal {
    const opened = scan(store);
    const journal = new Journal(deps, opened, store);
    if (opened.tail.bytes > 0) journal.#sealTail = opened.tail;
    journal.context.moveTo(opened.index.leaf);
    return journal;
  }

  // ---- reading ----

  /** Where the journal is kept: its path, or "memory". */
  get label(): string {
    return this.#store.label;
  }
  /** Folder for artifacts and children; undefined in memory and before the first message. */
  get folder(): string | undefined {
    return this.#store.folder;
  }
  get leaf(): string | null {
    return this.#index.leaf;
  }
  get title(): { readonly title: string; readonly source: "auto" | "user" } | undefined {
    if (this.#index.title) return this.#index.title;
    return this.header.title === undefined
      ? undefined
      : { title: this.header.title, source: this.header.titleSource ?? "auto" };
  }
  get labels(): ReadonlyMap<string, string> {
    return this.#index.labels;
  }
  get prefix(): LineIndex["prefix"] {
    return this.#index.prefix;
  }
  /** The last input that began or ended. */
  get input(): LineIndex["input"] {
    return this.#index.input;
  }
  /** Effects that began and have no outcome, oldest first. */
  unsettled(): readonly IntentLine[] {
    return this.#index.openIntents;
  }
  has(id: string): boolean {
    return this.#index.entries.has(id);
  }
  meta(id: string): EntryMeta | undefined {
    return this.#index.entries.get(id);
  }
  /** Ids in file order. */
  entryIds(): IterableIterator<string> {
    return this.#index.entries.keys();
  }
  /** Oldest first; `null` gives the roots. */
  children(id: string | null): readonly string[] {
    return this.#index.children(id);
  }

  entry(id: string): TreeEntry {
    const recent = this.#recent.get(id);
    if (recent) return recent;
    const meta = this.#index.entries.get(id);
    if (!meta) throw new JournalError("unknown_entry", `There is no entry ${id} in this session.`);
    // A parent that was lost has been replaced by the scan; the line still names the old one.
    const entry = { ...this.#load(meta), parentId: meta.parentId } as TreeEntry;
    this.#remember(entry);
    return entry;
  }

  /** Lines outside the tree of one kind, oldest first, read from the store. */
  *outside<T extends OutsideLine["type"]>(type: T): IterableIterator<Extract<OutsideLine, { type: T }>> {
    for (const meta of this.#index.outside) {
      if (meta.type === type) yield this.#load(meta) as unknown as Extract<OutsideLine, { type: T }>;
    }
  }

  // ---- writing ----

  /** An id that no entry has; it stays reserved for this journal. */
  newId(): string {
    for (let attempt = 0; attempt < 100; attempt++) {
      const id = this.#deps.newId();
      if (this.#index.has(id) || this.#reserved.has(id)) continue;
      this.#reserved.add(id);
      return id;
    }
    throw new Error("The id source repeats itself: 100 candidates in a row were taken.");
  }

  /** Appends a child of the leaf and moves the leaf to it. */
  append(input: NewEntry): TreeEntry {
    const { type, id: given, ...rest } = input;
    if (given !== undefined && this.has(given)) {
      throw new JournalError("unknown_entry", `Entry ${given} is already in this session.`);
    }
    const id = given ?? this.newId();
    const entry = { type, id, parentId: this.leaf, timestamp: this.#timestamp(), ...rest } as TreeEntry;
    const span = this.#write(entry, type === "message" || type === "custom_message");
    this.#reserved.delete(id);
    this.#index.addEntry({ id, type, parentId: entry.parentId, ...span });
    this.#index.addPayload(entry);
    this.#remember(entry);
    this.context.follow(entry);
    return entry;
  }

  /** Appends a line outside the tree. */
  write(input: NewLine): OutsideLine {
    return this.#outside({ ...input, timestamp: this.#timestamp() } as OutsideLine, false);
  }

  /**
   * Announces an effect before it runs; `for` is the id its outcome entry must be appended with. Resolves when the
   * effect may start.
   */
  async intent(input: NewIntent): Promise<IntentLine> {
    const { effect, callId, tool, replay } = input;
    const line: IntentLine = {
      type: "intent",
      id: this.newId(),
      for: input.for ?? this.newId(),
      effect,
      ...(callId === undefined ? {} : { callId }),
      ...(tool === undefined ? {} : { tool }),
      replay,
      timestamp: this.#timestamp(),
    };
    this.#outside(line, true);
    this.#reserved.delete(line.id);
    this.#reserved.delete(line.for);
    if (replay === "never" && this.#deps.sync === "intent") await this.sync();
    return line;
  }

  /** Ends an intent that has no outcome entry. */
  settle(
    intentId: string,
    outcome: SettleLine["outcome"],
    more: Pick<SettleLine, "error" | "usage" | "cost"> = {},
  ): void {
    this.write({ type: "settle", intentId, outcome, ...more });
  }

  /** Moves the leaf; null means before the first entry. Later entries grow a new branch from there. */
  setLeaf(entryId: string | null): void {
    if (entryId !== null && !this.has(entryId)) {
      throw new JournalError("unknown_entry", `There is no entry ${entryId} in this session to go to.`);
    }
    if (entryId === this.leaf) return;
    this.#outside({ type: "leaf", entryId, timestamp: this.#timestamp() }, false);
    this.context.moveTo(entryId);
  }

  setTitle(title: string, source: "auto" | "user"): void {
    this.write({ type: "title", title, source });
  }

  /** Names an entry; without a label the name is taken away. */
  setLabel(targetId: string, label?: string): TreeEntry {
    return this.append({ type: "label", targetId, ...(label === undefined ? {} : { label }) });
  }

  /** To be awaited at each turn end. */
  async turnEnd(): Promise<void> {
    if ((this.#deps.sync ?? "turn") !== "none") await this.sync();
  }

  async sync(): Promise<void> {
    if (this.#openStore) return;
    await this.blobs.sync();
    await this.#store.sync();
  }

  async close(): Promise<void> {
    this.#openStore = undefined;
    await this.#store.close();
  }

  // ---- inside ----

  #outside(line: OutsideLine, begins: boolean): OutsideLine {
    this.#index.addOutside(line, this.#write(line, begins));
    return line;
  }

  #write(line: TreeEntry | OutsideLine, begins: boolean): LineSpan {
    if (begins && this.#openStore) this.#materialise(this.#openStore);
    if (this.#sealTail) this.#seal(this.#sealTail);
    const text = encodeLine(toStored(line, this.blobs) as object);
    const offset = this.#store.size;
    this.#store.append(text);
    return { offset, length: this.#store.size - offset - 1 };
  }

  /** Writes the held lines in one piece; offsets stay the same. */
  #materialise(openStore: () => JournalStore): void {
    const store = openStore();
    if (store.size > 0) {
      void store.close();
      throw new JournalError("io", `${store.label} already holds a session; open it instead of creating it.`);
    }
    store.append(this.#store.read(0, this.#store.size));
    this.#store = store;
    this.#openStore = undefined;
  }

  /** The file ends inside a line: ends that line, and says so in the file when it was torn. */
  #seal(tail: { readonly bytes: number; readonly whole: boolean }): void {
    this.#store.append("\n");
    this.#sealTail = undefined;
    if (!tail.whole) this.#outside({ type: "seal", torn: tail.bytes, timestamp: this.#timestamp() }, false);
  }

  #load(span: LineSpan): Record<string, unknown> {
    const line = this.#store.read(span.offset, span.length);
    const stored = parseLine(line);
    if (!mentionsBlob(line)) return stored;
    const missing: string[] = [];
    const value = fromStored(stored, this.blobs, (hash) => missing.push(hash)) as Record<string, unknown>;
    for (const hash of missing) this.#reportMissing(hash, stored);
    return missing.length === 0 ? value : repairMissing(value);
  }

  #reportMissing(hash: string, stored: Record<string, unknown>): void {
    const message = `A stored part of entry ${String(stored["id"])} is missing (blob ${hash}); the session goes on without it.`;
    if (this.losses.some((loss) => loss.message === message)) return;
    this.losses.push({ kind: "missing_blob", line: 0, bytes: 0, message });
  }

  #remember(entry: TreeEntry): void {
    this.#recent.set(entry.id, entry);
    if (this.#recent.size <= RECENT_ENTRIES) return;
    const oldest = this.#recent.keys().next();
    if (!oldest.done) this.#recent.delete(oldest.value);
  }

  #timestamp(): string {
    return new Date(this.#deps.now()).toISOString();
  }
}
