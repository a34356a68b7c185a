// Parses entries from their lines on demand and caches the last few. An unusable line is reported and replaced by an
// empty placeholder: it keeps its position in the tree, so that its descendants are not lost.

import type { BlobStore } from "../../base/blobs/store.ts";
import type { OutsideLine, TreeEntry } from "../../contract/journal.ts";
import { decodeLine, type LineValue } from "./decode.ts";
import type { EntryMeta } from "./line-index.ts";
import type { LossList } from "./losses.ts";
import type { LineSpan } from "./span-table.ts";
import type { JournalStore } from "./store.ts";

const RECENT_ENTRIES = 64;
/** Kind of the placeholder for an unusable entry. */
const UNUSABLE = "lathe:unusable";

export class EntryReader {
  readonly #blobs: BlobStore;
  readonly #losses: LossList;
  readonly #recent = new Map<string, TreeEntry>();

  constructor(blobs: BlobStore, losses: LossList) {
    this.#blobs = blobs;
    this.#losses = losses;
  }

  entry(store: JournalStore, meta: EntryMeta): TreeEntry {
    const recent = this.#recent.get(meta.id);
    if (recent) return recent;
    const what = `Entry ${meta.id}`;
    const value = this.#load(store, meta, what);
    const isIt = value !== undefined && isEntryOf(meta, value);
    if (value && !isIt) this.#lose("unusable_line", `${what} cannot be used (it names itself twice); it is skipped.`);
    const entry = isIt ? asEntry(value, meta) : placeholder(meta);
    this.remember(entry);
    return entry;
  }

  remember(entry: TreeEntry): void {
    this.#recent.set(entry.id, entry);
    if (this.#recent.size <= RECENT_ENTRIES) return;
    const oldest = this.#recent.keys().next();
    if (!oldest.done) this.#recent.delete(oldest.value);
  }

  /** Undefined if the line is unusable. */
  outside(store: JournalStore, type: OutsideLine["type"], span: LineSpan): OutsideLine | undefined {
    const value = this.#load(store, span, `A line of the kind ${type}`);
    return value?.["type"] === type ? (value as unknown as OutsideLine) : undefined;
  }

  #load(store: JournalStore, span: LineSpan, what: string): LineValue | undefined {
    const line = store.read(span.offset, span.length);
    const decoded = decodeLine(line, this.#blobs, (hash) =>
      this.#lose(
        "missing_blob",
        `A stored part of ${lower(what)} is missing (blob ${hash}); the session continues without it.`,
      ),
    );
    if ("problem" in decoded) {
      this.#lose("unusable_line", `${what} cannot be used (${decoded.problem}); it is skipped.`);
      return undefined;
    }
    for (const key of decoded.spare) this.#lose("unusable_line", `${what}: its ${key} cannot be used and is skipped.`);
    return decoded.value;
  }

  #lose(kind: "missing_blob" | "unusable_line", message: string): void {
    this.#losses.add({ kind, line: 0, bytes: 0, message });
  }
}

function placeholder({ id, type, parentId }: EntryMeta): TreeEntry {
  const place = { id, parentId, timestamp: "" };
  if (type === "message") return { type, ...place, message: { role: "user", content: [] } };
  return { type: "custom", ...place, customType: UNUSABLE, data: null };
}

/** For a duplicate key in a line, JSON uses the last value and the index the first. */
const isEntryOf = ({ id, type }: EntryMeta, value: LineValue): boolean => value["id"] === id && value["type"] === type;

/** The scan replaces a lost parent, but the line still names the old one. */
function asEntry(value: LineValue, { parentId }: EntryMeta): TreeEntry {
  if (value["parentId"] !== parentId) value["parentId"] = parentId;
  return value as unknown as TreeEntry;
}

const lower = (what: string): string => what.charAt(0).toLowerCase() + what.slice(1);
