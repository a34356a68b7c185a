// Rewinds the conversation and the files of a session, and undoes a rewind.

import type { Session } from "@lathe/agent";
import type { MessageEntry } from "@lathe/agent/contract";
import type { RewindOptions, RewindRequest, RewindResult } from "@lathe/agent/files";
import { findEntry, isUserMessage, userMessages } from "@lathe/agent/record";
import { textOf } from "@lathe/llm";
import { excerpt, type ReportedRewind, refusedAsUsage } from "../changes/rewind/report.ts";
import { usageError } from "../platform/usage/exit.ts";
import { countOf } from "../sessions/numbers.ts";
import type { OpenSession } from "./session-contract.ts";

/** A steering message is part of the work it steers. */
const beginsWork = ({ origin }: MessageEntry): boolean => origin !== "steering";

export async function rewindTo(
  { session, rewinder }: OpenSession,
  name: string,
  options: Omit<RewindRequest, "to">,
): Promise<ReportedRewind> {
  const { journal } = session;
  const entryId = findEntry(journal, name);
  const entry = journal.entry(entryId);
  const isInput = isUserMessage(entry);
  const to = isInput ? entry.parentId : entryId;
  const done = await refusedAsUsage((await rewinder()).rewind({ to, ...options }));
  const result = await withUnsavedFiles(session, done);
  return { result, entryId, text: isInput ? textOf(entry.message) : undefined };
}

/** The user's messages on this branch, each with the number of files that the work on it changed. */
export async function rewindPoints({ session, rewinder }: OpenSession): Promise<readonly RewindPoint[]> {
  const messages = userMessages(session.journal);
  if (messages.length === 0) return [];
  const counts = (await rewinder()).countChanges(new Set(messages.map(({ id }) => id)));
  return messages.map(({ id, message }) => {
    const files = counts.get(id) ?? 0;
    return { id, text: excerpt(textOf(message)), changes: files === 0 ? "no files" : countOf(files, "file") };
  });
}

export interface RewindPoint {
  readonly id: string;
  readonly text: string;
  readonly changes: string;
}

export async function undoLast(open: OpenSession, options: Omit<RewindRequest, "to">): Promise<ReportedRewind> {
  const last = userMessages(open.session.journal).findLast(beginsWork);
  if (!last) throw usageError("There is no message to undo.");
  return rewindTo(open, last.id, options);
}

export async function undoRewind({ session, rewinder }: OpenSession, options: RewindOptions): Promise<ReportedRewind> {
  const done = await refusedAsUsage((await rewinder()).takeBack(options));
  return { result: await withUnsavedFiles(session, done) };
}

/** A rewind only restores files on disk; unsaved changes in the user's editor stay, and those files are listed. */
async function withUnsavedFiles({ env }: Session, result: RewindResult): Promise<RewindResult> {
  if (result.parts === "conversation") return result;
  const unsaved = (await env.unsavedFiles?.()) ?? [];
  return { ...result, left: [...result.left, ...unsaved.map((path) => ({ path, why: "editor" as const }))] };
}
