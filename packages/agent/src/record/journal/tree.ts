// The tree of a session: its structure, the part that a move would leave behind, and where choosing an entry leads.

import { textOf } from "@lathe/llm";
import type { MessageEntry, TreeEntry } from "../../contract/journal.ts";
import { pathTo } from "./context.ts";
import { JournalError } from "./errors.ts";
import type { Journal } from "./journal.ts";

/** The part of a journal that is needed to walk its tree. */
export type TreeReader = Pick<Journal, "has" | "meta" | "entry" | "leaf">;
type PathReader = Pick<TreeReader, "meta" | "entry">;

/** An entry by id; throws if it does not exist. */
export function existingEntry(journal: Pick<TreeReader, "has" | "entry">, id: string): TreeEntry {
  if (!journal.has(id)) throw new JournalError("unknown_entry", `There is no entry ${id} in this session.`);
  return journal.entry(id);
}

/** A message from the user, not one that the loop inserted. */
export function isUserMessage(entry: TreeEntry): entry is MessageEntry {
  if (entry.type !== "message" || entry.message.role !== "user") return false;
  const { origin, source } = entry;
  return origin !== "loop_detection" && origin !== "injected" && (source === undefined || source.kind === "user");
}

/** Where choosing an entry leads. */
export interface Landing {
  readonly leafId: string | null;
  /** Text to edit and send again: choosing a message goes back to before it. */
  readonly text?: string | undefined;
}

/** For a message of the user or a host, the position before it; for anything else, right after it. */
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

/** The entries on the path to `from` that are not on the path to `to`. */
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

/** False for bookkeeping entries, which do not change what the model sees. */
export const isConversation = ({ type }: Pick<TreeEntry, "type">): boolean => SPEAKS.has(type);

/** The point at which a new session branches off. */
export interface BranchPoint {
  /** The last entry to copy; null if the message is the first. */
  readonly upTo: string | null;
  /** The text of the message itself, to edit and send again. */
  readonly text: string;
}

/** The branch point at an entry; only user messages are valid. */
export function branchPoint(journal: Pick<TreeReader, "has" | "meta" | "entry">, id: string): BranchPoint {
  const entry = existingEntry(journal, id);
  if (!isUserMessage(entry))
    throw new JournalError("unknown_entry", `Entry ${id} is not a user message: branch from one that is.`);
  const before = pathTo(journal, entry.parentId);
  const hasTalk = before.some((parent) => isConversation(journal.entry(parent)));
  return { upTo: hasTalk ? entry.parentId : null, text: textOf(entry.message) };
}

/** User messages on the path to the leaf, oldest first. */
export function userMessages(journal: Pick<TreeReader, "meta" | "entry" | "leaf">): MessageEntry[] {
  return pathTo(journal, journal.leaf)
    .filter((id) => journal.meta(id)?.type === "message")
    .map((id) => journal.entry(id))
    .filter(isUserMessage);
}
