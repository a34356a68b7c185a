// What a compaction collects from the history that it is about to hide: the user's messages, the files touched, the
// failures.

import { type JsonObject, Message } from "@lathe/llm";
import type { CompactionEntry, MessageEntry, TreeEntry } from "../../contract/journal.ts";
import type { JournalReader } from "../../contract/journal-reader.ts";
import { pathTo } from "../../record/journal/context.ts";
import { isUserMessage } from "../../record/journal/tree.ts";
import type { SentMessage } from "./present-context.ts";

/** The compaction that the current context begins with. */
export interface Earlier {
  readonly entry: CompactionEntry;
  /** How many messages of the context belong to it: the summary, and what it kept word for word. */
  readonly messages: number;
}

export function earlierCompaction(journal: JournalReader, sent: readonly SentMessage[]): Earlier | undefined {
  const id = sent[0]?.entryId;
  if (id === undefined || journal.meta(id)?.type !== "compaction") return undefined;
  const entry = journal.entry(id) as CompactionEntry;
  if (entry.summary === "") return undefined;
  const keep = new Set(entry.details?.keep);
  let messages = 1;
  while (keep.has(sent[messages]?.entryId ?? "")) messages += 1;
  return { entry, messages };
}

/** The strategy of a compaction whose notes were made without a model. */
export const DIGEST = "digest";

export const END_OF_NOTES = "<!-- end of notes -->";
/** How other agents list files in the summaries of imported sessions. */
const FILE_LISTS = /<(read-files|modified-files)>[\s\S]*?<\/\1>/g;
/** The notes of an earlier compaction, without the parts that are made anew each time. */
const ownNotes = (summary: string): string => summary.split(END_OF_NOTES)[0]!.replace(FILE_LISTS, "").trim();

/** The text of an earlier compaction, and the messages that it hides without a text. */
export interface EarlierText {
  readonly notes: string | undefined;
  readonly messages: readonly Message[];
}

/**
 * A summary is made from text. If the earlier history is in images, in a vendor's own form, or only in notes without a
 * model, we read the messages from the journal again.
 */
export function earlierText(journal: JournalReader, { entry }: Earlier): EarlierText {
  if (!isWithoutWords(entry)) return { notes: ownNotes(entry.summary), messages: [] };
  const path = pathTo(journal, entry.id);
  const written = path.findLast((id) => isWritten(journal, id));
  const before = written === undefined ? undefined : (journal.entry(written) as CompactionEntry);
  const from = before ? path.indexOf(before.firstKeptEntryId) : 0;
  return {
    notes: before && before.summary !== "" ? ownNotes(before.summary) : undefined,
    messages: path.slice(Math.max(0, from), path.indexOf(entry.firstKeptEntryId)).flatMap((id) => saidIn(journal, id)),
  };
}

/** True for a compaction with notes in words, or one that was undone. */
function isWritten(journal: JournalReader, id: string): boolean {
  if (journal.meta(id)?.type !== "compaction") return false;
  return !isWithoutWords(journal.entry(id) as CompactionEntry);
}

/**
 * True if the hidden part is in images, in a form that only a vendor's models can read, or was never summarised by a
 * model.
 */
const isWithoutWords = ({ preserveData, details }: CompactionEntry): boolean =>
  preserveData?.snapcompact !== undefined ||
  preserveData?.openaiRemoteCompaction !== undefined ||
  details?.["strategy"] === DIGEST;

function saidIn(journal: JournalReader, id: string): Message[] {
  const entry = journal.entry(id);
  if (entry.type === "message") return [entry.message];
  if (entry.type === "custom_message") return [Message.user(entry.content)];
  return entry.type === "branch_summary" ? [Message.user(entry.summary)] : [];
}

/**
 * Newest first, as far as the room allows. A message that is too large is skipped, and older ones still get their
 * chance.
 */
export function keptVerbatim(journal: JournalReader, candidates: readonly SentMessage[], room: number): string[] {
  const keep: string[] = [];
  let left = room;
  for (const { entryId, tokens } of candidates.toReversed()) {
    if (entryId === undefined || tokens > left || !isFromPerson(journal, entryId)) continue;
    keep.push(entryId);
    left -= tokens;
  }
  return keep.reverse();
}

/**
 * True for messages of the user or a host and for loaded instructions; false for what the loop, a job or an agent adds.
 */
export function isFromPerson(journal: JournalReader, id: string): boolean {
  const type = journal.meta(id)?.type;
  if (type === "custom_message") return true;
  if (type !== "message") return false;
  const entry = journal.entry(id) as MessageEntry;
  const { source } = entry;
  return isUserMessage(entry) || source?.kind === "host";
}

export interface TouchedFile {
  readonly path: string;
  readonly read: boolean;
  readonly written: boolean;
}

export interface HiddenWork {
  readonly files: readonly TouchedFile[];
  /** One line for each failure, oldest first. */
  readonly failures: readonly string[];
}

const MOST_FAILURES = 10;
const FAILURE_CHARS = 200;

/** Accumulates over compactions: what an earlier one hid is known only from its details (see `detailsOf`). */
export function hiddenWork(entries: readonly TreeEntry[], before: JsonObject | undefined): HiddenWork {
  const both = strings(before?.["readAndModifiedFiles"]);
  const read = new Set([...strings(before?.["readFiles"]), ...both]);
  const written = new Set(strings(before?.["modifiedFiles"]));
  const failures = [...strings(before?.["failures"])];
  for (const entry of entries) {
    if (entry.type !== "nested_call" && (entry.type !== "message" || entry.message.role !== "tool")) continue;
    for (const path of entry.reads ?? []) read.add(path);
    for (const { path } of entry.changes ?? []) written.add(path);
    // The outer call has handled failures inside of it.
    const failure = entry.type === "message" ? failureOf(entry) : undefined;
    if (failure !== undefined) failures.push(failure);
  }
  const paths = [...new Set([...written, ...read])].sort();
  return {
    files: paths.map((path) => ({ path, read: read.has(path), written: written.has(path) })),
    failures: failures.slice(-MOST_FAILURES),
  };
}

/** The form in which the compaction's entry stores it. */
export function detailsOf({ files, failures }: HiddenWork): JsonObject {
  const pathsOf = (wanted: (file: TouchedFile) => boolean): string[] => files.filter(wanted).map(({ path }) => path);
  return {
    readFiles: pathsOf(({ written }) => !written),
    modifiedFiles: pathsOf(({ written }) => written),
    readAndModifiedFiles: pathsOf(({ read, written }) => read && written),
    failures: [...failures],
  };
}

function failureOf({ message, summary }: MessageEntry): string | undefined {
  const part = message.content.find((candidate) => candidate.kind === "tool_result");
  if (!part?.toolResult.isError) return undefined;
  const { content } = part.toolResult;
  const text = typeof content === "string" ? content : JSON.stringify(content);
  const line = text.split("\n").find((candidate) => candidate.trim() !== "") ?? "";
  return `${summary === undefined || summary === "" ? "a call" : summary}: ${line.trim()}`
    .slice(0, FAILURE_CHARS)
    .toWellFormed();
}

const strings = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
