// The single source of truth of a session: a tree of entries and the lines outside it, in an append-only store. Appends
// are synchronous: when a call returns, its line has been passed to the system.

import type { BlobStore } from "../../base/blobs/store.ts";
import type {
  BranchSummaryEntry,
  InputLine,
  IntentLine,
  JournalLoss,
  OutsideLine,
  PrefixLine,
  SessionHeader,
  SettleLine,
  TreeEntry,
} from "../../contract/journal.ts";
import { ContextView } from "./context.ts";
import { parseChecked } from "./decode.ts";
import { EntryReader } from "./entry-reader.ts";
import { beside, blobsUnwritable, JournalError, notStorable, tooLong } from "./errors.ts";
import { type Glimpse, glimpseOf } from "./glimpse.ts";
import { type NewHeader, newHeader } from "./header.ts";
import { encodeLine, LONGEST_LINE } from "./line.ts";
import { type EntryMeta, LineIndex } from "./line-index.ts";
import { LossList } from "./losses.ts";
import type { JournalDeps, NewEntry, NewIntent, NewLine } from "./new-lines.ts";
import { toStored } from "./payload.ts";
import { scan } from "./scan.ts";
import type { LineSpan } from "./span-table.ts";
import { type JournalStore, MemoryStore } from "./store.ts";
import { isoTime } from "./timestamp.ts";
import { TurnSync } from "./turn-sync.ts";

/** Half of what a listing reads from the end. */
const TITLE_DRIFT = 2048;

/** The record of a session, and its single source of truth. */
export class Journal {
  readonly header: SessionHeader;
  readonly blobs: BlobStore;
  readonly #deps: JournalDeps;
  readonly #index: LineIndex;
  readonly #reader: EntryReader;
  readonly #losses: LossList;
  readonly #reserved = new Set<string>();
  readonly #turnSync = new TurnSync(() => this.sync());
  #context: ContextView | undefined;
  #store: JournalStore;
  /** Set if the file ends inside a line; the first write seals it. */
  #sealTail: { readonly bytes: number; readonly whole: boolean } | undefined;
  /** Set while lines are only held in memory: a session without messages leaves no file. */
  #openStore: (() => JournalStore) | undefined;
  /** Open and locked, until the lines in memory move to it. */
  #unusedStore: JournalStore | undefined;
  #holdsUntilMessage = true;

  private constructor(
    deps: JournalDeps,
    opened: { header: SessionHeader; index: LineIndex; losses: LossList },
    store: JournalStore,
    openStore?: () => JournalStore,
  ) {
    this.#deps = deps;
    this.blobs = deps.blobs;
    this.header = opened.header;
    this.#losses = opened.losses;
    this.#index = opened.index;
    this.#reader = new EntryReader(deps.blobs, opened.losses);
    this.#store = store;
    this.#openStore = openStore;
  }

  /** Creates a session. Lines stay in memory until the first message or intent; then they move to the store. */
  static create(header: NewHeader, store: JournalStore | (() => JournalStore), deps: JournalDeps): Journal {
    const full = newHeader(header, isoTime(deps.now()));
    const held = new MemoryStore(encodeLine(full));
    const openStore = typeof store === "function" ? store : () => store;
    const parts = { header: full, index: new LineIndex(), losses: new LossList() };
    const journal = new Journal(deps, parts, held, openStore);
    if (typeof store !== "function") journal.#unusedStore = store;
    return journal;
  }

  /** Opens an existing journal; throws a JournalError instead of guessing if the header is unreadable. */
  static open(store: JournalStore, deps: JournalDeps): Journal {
    const opened = scan(store);
    const journal = new Journal(deps, opened, store);
    journal.#holdsUntilMessage = false;
    if (opened.tail.bytes > 0) journal.#sealTail = opened.tail;
    return journal;
  }

  // ---- reading ----

  /** What the model sees at the leaf. Built on first use, then follows the leaf at constant cost per entry. */
  get context(): ContextView {
    if (!this.#context) {
      this.#context = new ContextView({ meta: (id) => this.#index.meta(id), entry: (id) => this.entry(id) });
      this.#context.moveTo(this.leaf);
    }
    return this.#context;
  }

  /** What was lost on opening, including missing blobs of the context; show this to the user. */
  get losses(): readonly JournalLoss[] {
    void this.context;
    return this.#losses.list;
  }
  /** The losses found so far, without reading anything more. */
  get lossesSoFar(): readonly JournalLoss[] {
    return this.#losses.list;
  }
  /** The location of the journal: its path, or "memory". */
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
    const { title, titleSource } = this.header;
    if (this.#index.title) return { title: this.#index.title.title, source: this.#index.title.source };
    return title === undefined ? undefined : { title, source: titleSource ?? "auto" };
  }
  get labels(): ReadonlyMap<string, string> {
    return this.#index.labels;
  }
  /** System prompt, tools and environment as last sent. */
  get prefix(): PrefixLine | undefined {
    return this.#index.prefix;
  }
  /** The last `input` line, for the start or end of an input. */
  get input(): InputLine | undefined {
    return this.#index.input;
  }
  /** The model that the last input was for, as provider/id, whether it answered or not. */
  get inputModel(): string | undefined {
    return this.#index.inputModel;
  }
  /** Effects that began and have no outcome, oldest first. */
  openIntents(): readonly IntentLine[] {
    return this.#index.openIntents;
  }
  has(id: string): boolean {
    return this.#index.hasEntry(id);
  }
  meta(id: string): EntryMeta | undefined {
    return this.#index.meta(id);
  }
  /** Ids in file order. */
  entryIds(): IterableIterator<string> {
    return this.#index.ids.values();
  }
  /** Oldest first; `null` gives the roots. */
  children(id: string | null): readonly string[] {
    return this.#index.children(id);
  }

  entry(id: string): TreeEntry {
    return this.#reader.entry(this.#store, this.#metaOf(id));
  }

  /** What a list shows of a message, if that is known without parsing it. */
  glimpse(id: string): Glimpse | undefined {
    const meta = this.#metaOf(id);
    return glimpseOf(this.#store.read(meta.offset, meta.length));
  }

  /** An entry as stored in its line: blobs are references. Undefined if it is unusable. */
  storedEntry(id: string): Record<string, unknown> | undefined {
    const meta = this.#metaOf(id);
    const parsed = parseChecked(this.#store.read(meta.offset, meta.length));
    return "problem" in parsed ? undefined : { ...parsed.value, type: meta.type, id, parentId: meta.parentId };
  }

  /** Number of effects that ended without an outcome entry. */
  get settled(): number {
    return this.#index.settled;
  }
  /** Lines outside the tree of one kind, oldest first, read from the store. */
  *outside<T extends OutsideLine["type"]>(type: T): IterableIterator<Extract<OutsideLine, { type: T }>> {
    for (const span of this.#index.outside(type)) {
      const line = this.#reader.outside(this.#store, type, span);
      if (line) yield line as Extract<OutsideLine, { type: T }>;
    }
  }

  /** The newest line of a kind, without reading the others. */
  lastOutside<T extends OutsideLine["type"]>(type: T): Extract<OutsideLine, { type: T }> | undefined {
    const span = this.#index.lastOutside(type);
    const line = span && this.#reader.outside(this.#store, type, span);
    return line as Extract<OutsideLine, { type: T }> | undefined;
  }

  // ---- writing ----

  /** A new id that no entry has; it stays reserved for this journal. */
  newId(): string {
    for (let attempt = 0; attempt < 100; attempt++) {
      const id = this.#deps.newId();
      if (this.#index.has(id) || this.#reserved.has(id)) continue;
      this.#reserved.add(id);
      return id;
    }
    throw new Error("The id source repeats itself: 100 ids in a row were already in use.");
  }

  /** Appends a child of the leaf and moves the leaf to it. */
  append(input: NewEntry): TreeEntry {
    return this.#addEntry(input, this.leaf);
  }

  /** Appends a line outside the tree. */
  write(input: NewLine): OutsideLine {
    return this.#outside({ ...input, timestamp: this.#timestamp() } as OutsideLine, false);
  }

  /** Announces an effect; its outcome must be appended with the id `for`. Resolves when the effect may start. */
  async intent(input: NewIntent): Promise<IntentLine> {
    const { effect, callId, tool, replay, within, summary, reserved } = input;
    const line: IntentLine = {
      type: "intent",
      id: this.newId(),
      for: input.for ?? this.newId(),
      effect,
      ...(callId === undefined ? {} : { callId }),
      ...(tool === undefined ? {} : { tool }),
      replay,
      ...(within === undefined ? {} : { within }),
      ...(summary === undefined ? {} : { summary }),
      ...(reserved === undefined ? {} : { reserved }),
      timestamp: this.#timestamp(),
    };
    this.#outside(line, true);
    this.#reserved.delete(line.id);
    this.#reserved.delete(line.for);
    if (replay === "never" && this.#deps.sync === "intent") await this.sync();
    return line;
  }

  /** Stores a text outside the lines and returns the name by which lines can refer to it. */
  putText(text: string): string {
    return beside(() => this.blobs.put(Buffer.from(text, "utf8")));
  }

  /** Ends an intent that has no outcome entry. */
  settle(
    intentId: string,
    outcome: SettleLine["outcome"],
    more: Pick<SettleLine, "error" | "usage" | "cost" | "uncertain"> = {},
  ): void {
    this.write({ type: "settle", intentId, outcome, ...more });
  }

  /** Moves the leaf; null means before the first entry. Later entries start a new branch there. */
  setLeaf(entryId: string | null): void {
    this.#mustBePlace(entryId);
    if (entryId === this.leaf) return;
    this.#outside({ type: "leaf", entryId, timestamp: this.#timestamp() }, false);
    this.#context?.moveTo(entryId);
  }

  /** Moves to `entryId` (null for the start) and adds a summary of the left branch there: both in one line. */
  branchWithSummary(
    entryId: string | null,
    summary: string,
    more: Pick<BranchSummaryEntry, "details" | "fromExtension"> = {},
  ): TreeEntry {
    this.#mustBePlace(entryId);
    return this.#addEntry({ type: "branch_summary", fromId: entryId ?? "root", summary, ...more }, entryId);
  }

  setTitle(title: string, source: "auto" | "user"): void {
    this.write({ type: "title", title, source });
  }

  /** Names an entry; without a label, removes its name. */
  setLabel(targetId: string, label?: string): TreeEntry {
    return this.append({ type: "label", targetId, ...(label === undefined ? {} : { label }) });
  }

  /** Moves lines that are still held in memory to their store in one write; offsets stay the same. */
  persist(): void {
    if (!this.#openStore) return;
    const store = this.#openStore();
    if (store.size > 0) {
      void store.close();
      throw new JournalError("io", `${store.label} already holds a session; open it instead of creating it.`);
    }
    const held = this.#store.read(0, this.#store.size);
    // Assigned before the write: if that fails, every later call throws its error again.
    this.#store = store;
    this.#openStore = undefined;
    this.#unusedStore = undefined;
    store.append(held);
  }

  /** Await this at the end of each turn. */
  async turnEnd(): Promise<void> {
    this.#restateTitle();
    if (this.#deps.sync !== "none") await this.#turnSync.turnEnd();
  }

  /** Await this at the end of each input. */
  async inputEnd(): Promise<void> {
    this.#restateTitle();
    if (this.#deps.sync !== "none") await this.#turnSync.inputEnd();
  }

  async sync(): Promise<void> {
    if (this.#openStore) return;
    await this.blobs.sync().catch((error: unknown) => {
      throw blobsUnwritable(error);
    });
    await this.#store.sync();
  }

  async close(): Promise<void> {
    this.#openStore = undefined;
    await this.#turnSync.settle();
    await this.#unusedStore?.close();
    await this.#store.close();
  }

  /** Listings read only the two ends of a file, so a title that is too far from the end is written again. */
  #restateTitle(): void {
    const title = this.#index.title;
    if (title && !this.#openStore && this.#store.size - title.offset > TITLE_DRIFT)
      this.setTitle(title.title, title.source);
  }

  // ---- internal ----

  #mustBePlace(entryId: string | null): void {
    if (entryId === null || this.has(entryId)) return;
    throw new JournalError("unknown_entry", `There is no entry ${entryId} in this session to go to.`);
  }

  #addEntry(input: NewEntry, parentId: string | null): TreeEntry {
    const { type, id: presetId, ...rest } = input;
    if (presetId !== undefined && this.has(presetId)) {
      throw new JournalError("unknown_entry", `Entry ${presetId} is already in this session.`);
    }
    const id = presetId ?? this.newId();
    const entry = { type, id, parentId, timestamp: this.#timestamp(), ...rest } as TreeEntry;
    const span = this.#write(entry, type === "message" || type === "custom_message");
    this.#reserved.delete(id);
    this.#index.addEntry({ id, type, parentId, ...span });
    this.#index.addPayload(entry);
    this.#reader.remember(entry);
    this.#context?.follow(entry);
    return entry;
  }

  #outside(line: OutsideLine, begins: boolean): OutsideLine {
    this.#index.addOutside(line, this.#write(line, begins));
    return line;
  }

  #write(line: TreeEntry | OutsideLine, begins: boolean): LineSpan {
    if (begins || !this.#holdsUntilMessage) this.persist();
    if (this.#sealTail) this.#seal(this.#sealTail);
    const text = this.#encode(line);
    if (text.length > LONGEST_LINE) throw tooLong(line.type, text.length);
    const offset = this.#store.size;
    this.#store.append(text);
    return { offset, length: this.#store.size - offset - 1 };
  }

  #encode(line: TreeEntry | OutsideLine): Buffer {
    try {
      return encodeLine(toStored(line, this.blobs) as object);
    } catch (error) {
      throw error instanceof JournalError ? error : notStorable(line.type, error);
    }
  }

  /** Handles a file that ends inside a line: completes the line, and adds a seal if it was torn. */
  #seal(tail: { readonly bytes: number; readonly whole: boolean }): void {
    this.#store.append("\n");
    this.#sealTail = undefined;
    if (!tail.whole) this.#outside({ type: "seal", torn: tail.bytes, timestamp: this.#timestamp() }, false);
  }

  #metaOf(id: string): EntryMeta {
    const meta = this.#index.meta(id);
    if (!meta) throw new JournalError("unknown_entry", `There is no entry ${id} in this session.`);
    return meta;
  }

  #timestamp(): string {
    return isoTime(this.#deps.now());
  }
}
