// The tree of a session: what hangs where, which part a move would leave, and where choosing an entry leads.

import { textOf } from "@lathe/llm";
import type { MessageEntry, TreeEntry } from "../../contract/journal.ts";
import { pathTo } from "./context.ts";
import { JournalError } from "./errors.ts";
import type { Journal } from "./journal.ts";

/** What of a journal is needed to walk its tree. */
export type TreeReader = Pick<Journal, "has" | "meta" | "entry" | "leaf">;
type PathReader = Pick<TreeReader, "meta" | "entry">;

/** An entry that must be there. */
export function existingEntry(journal: Pick<TreeReader, "has" | "entry">, id: string): TreeEntry {
  if (!journal.has(id)) throw new JournalError("unknown_entry", `There is no entry ${id} in this session.`);
  return journal.entry(id);
}

/** Said by the user, not put in by the loop. */
export function isUserMessage(entry: TreeEntry): entry is MessageEntry {
  if (entry.type !== "message" || entry.message.role !== "user") return false;
  const { origin, source } = entry;
  return origin !== "loop_detection" && origin !== "injected" && (source === undefined || source.kind === "user");
}

/** Where choosing an entry leads. */
export interface Landing {
  readonly leafId: string | null;
  /** To be edited and sent again: choosing a message means going to before it. */
  readonly text?: string | undefined;
}

/** The place before a message of the user or of a host, and right after anything else. */
export function landingOf(entry: TreeEntry): Landing {
  if (isUserMessage(entry)) return { leafId: entry.parentId, text: textOf(entry.message) };
  if (entry.type !== "custom_message") return { leafId: entry.id };
  const { content } = entry;
  return { leafId: entry.parentId, text: typeof content === "string" ? content : textOf({ role: "user", content }) };
}

export interface Left {
  readonly commonAncestorId: string | null;
  /** Oldest first. */
  readonly entries: readonly TreeEntry[];
}

/** What is on the way to `from` and not on the way to `to`. */
export function leftBehind(journal: PathReader, from: string | null, to: string | null): Left {
  const kept = new Set(pathTo(journal, to));
  const path = pathTo(journal, from);
  const shared = path.findLastIndex((id) => kept.has(id));
  return {
    commonAncestorId: path[shared] ?? null,
    entries: path.slice(shared + 1).map((id) => journal.entry(id)),
  };
}

const SPEAKS: ReadonlySet<string> = new Set(["message", "custom_message", "branch_summary", "compaction"]);

/** False for bookkeeping: the model sees the same with and without it. */
export const isPartOfTalk = ({ type }: Pick<TreeEntry, "type">): boolean => SPEAKS.has(type);

/** Where a new session branches off. */
export interface BranchPoint {
  /** The last entry to take over; null when nothing was said before. */
  readonly upTo: string | null;
  /** The text of the message itself, to be edited and sent again. */
  readonly text: string;
}

/** Where a new session branches off; only messages of the user are such places. */
export function branchPoint(journal: Pick<TreeReader, "has" | "meta" | "entry">, id: string): BranchPoint {
  const entry = existingEntry(journal, id);
  if (!isUserMessage(entry))
    throw new JournalError("unknown_entry", `Entry ${id} is not a message of the user: branch from one that is.`);
  const before = pathTo(journal, entry.parentId);
  const hasTalk = before.some((parent) => isPartOfTalk(journal.entry(parent)));
  return { upTo: hasTalk ? entry.parentId : null, text: textOf(entry.message) };
}

/** Messages of the user on the way to the leaf, oldest first. */
export function userMessages(journal: Pick<TreeReader, "meta" | "entry" | "leaf">): MessageEntry[] {
  return pathTo(journal, journal.leaf)
    .filter((id) => journal.meta(id)?.type === "message")
    .map((id) => journal.entry(id))
    .filter(isUserMessage);
}
