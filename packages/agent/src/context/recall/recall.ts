// Searches everything said and shown earlier in a session, even what the model no longer sees, and in the sessions that
// it continues from a briefing. Reads the journals and keeps an index that grows with them.

import { type ContentPart, textOf } from "@lathe/llm";
import { Bm25 } from "../../base/text/bm25.ts";
import type { TreeEntry } from "../../contract/journal.ts";
import { pathTo } from "../../record/journal/context.ts";
import type { Journal } from "../../record/journal/journal.ts";

/** A passage that `recall` found. */
export interface Found {
  readonly entryId: string;
  /** The speaker: `user`, `assistant`, `result`, `summary`. */
  readonly kind: string;
  /** ISO 8601. */
  readonly timestamp: string;
  /** The passage that matched. */
  readonly text: string;
}

/** The tool's name. Its own calls and results are not searched, because they would hide what is looked for. */
export const RECALL = "recall";

/** Passages overlap, so that a sentence at a border is complete in one of them. */
const PASSAGE_CHARS = 1_200;
const STEP_CHARS = 1_000;
/** How much of one entry is indexed; a longer output is in its artifact. */
const MOST_CHARS = 200_000;

interface Place {
  readonly journal: Journal;
  readonly entryId: string;
  /** The position in the entry's text. */
  readonly from: number;
}

/** Searches a session, including what its model no longer sees. */
export class Recall {
  /** The session's own journal first. */
  readonly #journals: readonly Journal[];
  readonly #index = new Bm25({ wordsOf });
  /** The position of each passage. */
  readonly #places: Place[] = [];
  readonly #indexed = new Set<string>();
  readonly #ownCalls = new Set<string>();

  /** `earlier`: journals of the sessions that this one continues, newest first. */
  constructor(journal: Journal, earlier: readonly Journal[] = []) {
    this.#journals = [journal, ...earlier];
  }

  /** Finds passages of the current branch, best first; at most one for each position. */
  search(query: string, most: number): Found[] {
    for (const journal of this.#journals) this.#follow(journal);
    const branches = new Map(this.#journals.map((journal) => [journal, new Set(pathTo(journal, journal.leaf))]));
    const found: Found[] = [];
    const taken = new Map<string, number[]>();
    for (const { passage } of this.#index.rank(query)) {
      if (found.length === most) break;
      const { journal, entryId, from } = this.#places[passage]!;
      const near = taken.get(entryId) ?? [];
      if (!branches.get(journal)?.has(entryId) || near.some((other) => Math.abs(other - from) <= STEP_CHARS)) continue;
      taken.set(entryId, [...near, from]);
      const entry = journal.entry(entryId);
      const text = textOfEntry(entry)
        .slice(from, from + PASSAGE_CHARS)
        .toWellFormed();
      found.push({ entryId, kind: kindOf(entry), timestamp: entry.timestamp, text });
    }
    return found;
  }

  /** The whole text of an entry; undefined if there is none with that id. */
  entry(id: string): string | undefined {
    const journal = this.#journals.find((candidate) => candidate.has(id));
    return journal && textOfEntry(journal.entry(id));
  }

  #findable(entry: TreeEntry): string {
    if (entry.type !== "message") return textOfEntry(entry);
    const isOwn = (part: ContentPart): boolean => part.kind === "tool_call" && part.toolCall.name === RECALL;
    for (const part of entry.message.content)
      if (part.kind === "tool_call" && isOwn(part)) this.#ownCalls.add(part.toolCall.id);
    if (this.#ownCalls.has(entry.message.toolCallId ?? "")) return "";
    return textOfContent(entry.message.content.filter((part) => !isOwn(part)));
  }

  #follow(journal: Journal): void {
    for (const entryId of journal.entryIds()) {
      const key = `${journal.label} ${entryId}`;
      if (this.#indexed.has(key)) continue;
      this.#indexed.add(key);
      const text = this.#findable(journal.entry(entryId)).slice(0, MOST_CHARS);
      for (let from = 0; from < text.length; from += STEP_CHARS) {
        this.#index.add([{ text: text.slice(from, from + PASSAGE_CHARS), weight: 1 }]);
        this.#places.push({ journal, entryId, from });
      }
    }
  }
}

function kindOf(entry: TreeEntry): string {
  if (entry.type !== "message") return entry.type === "custom_message" ? "user" : "summary";
  return entry.message.role === "tool" ? "result" : entry.message.role;
}

/** "" for entries without text. */
function textOfEntry(entry: TreeEntry): string {
  switch (entry.type) {
    case "message":
      return textOfContent(entry.message.content);
    case "custom_message":
      return typeof entry.content === "string" ? entry.content : textOf({ role: "user", content: entry.content });
    case "branch_summary":
      return entry.summary;
    default:
      return "";
  }
}

const textOfContent = (content: readonly ContentPart[]): string =>
  content
    .map(textOfPart)
    .filter((text) => text !== "")
    .join("\n");

function textOfPart(part: ContentPart): string {
  switch (part.kind) {
    case "text":
      return part.text;
    case "tool_call": {
      const { name, arguments: args } = part.toolCall;
      return `${name} ${typeof args === "string" ? args : JSON.stringify(args)}`;
    }
    case "tool_result": {
      const { content } = part.toolResult;
      return typeof content === "string" ? content : JSON.stringify(content);
    }
    default:
      return "";
  }
}

/** Lower case. A compound name is found by the whole and by each of its words. */
function* wordsOf(text: string): Generator<string> {
  for (const [whole] of text.matchAll(/[\p{L}\p{N}_]+/gu)) {
    const lower = whole.toLowerCase();
    yield lower;
    const parts = whole.match(/\p{Lu}?[\p{Ll}\p{Lo}]+|\p{Lu}+(?!\p{Ll})|\p{N}+/gu);
    if (parts && parts.length > 1) for (const part of parts) yield part.toLowerCase();
  }
}

declare module "../../contract/tool.ts" {
  interface ToolServices {
    /** Present as soon as the model no longer sees the whole session. */
    readonly recall?: Pick<Recall, "search" | "entry"> | undefined;
  }
}
