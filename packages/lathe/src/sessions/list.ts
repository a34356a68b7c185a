// Lists sessions from the beginning and end of each file.

import type { Journal } from "@lathe/agent";
import { readHead, type SessionSummary, userMessages } from "@lathe/agent/record";
import { textOf } from "@lathe/llm";
import { replaceAttachmentsByNames } from "./attached-text.ts";
import { projectFolders, type SessionFile, sessionFiles } from "./files.ts";
import { HeadMemory, UnreadHead } from "./head-memory.ts";
import type { Described, ListedSession } from "./listed-session.ts";

export interface ListRequest {
  readonly sessionsRoot: string;
  /** Lists only the sessions of this directory. */
  readonly cwd?: string;
  /** Undefined means all. */
  readonly limit?: number;
  /** The file that remembers what was read. */
  readonly cacheFile: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** With fewer files, reading them is cheaper than reading the memory. */
const WORTH_REMEMBERING = 200;
const TEXT_KEPT = 200;
/** `readHead` has read a file of this length completely. */
const HEAD_BYTES = 4096;

/** Newest first. Sessions without a message are not listed. */
export function listSessions(request: ListRequest): ListedSession[] {
  const { sessionsRoot, cwd, limit = Number.POSITIVE_INFINITY, now } = request;
  if (cwd !== undefined && limit < WORTH_REMEMBERING)
    return take(sessionFiles(sessionsRoot, cwd), describeFile, limit, cwd);
  const memory = new HeadMemory(request.cacheFile);
  const heads = projectFolders(sessionsRoot, cwd)
    .flatMap((folder) => memory.headsIn(folder, now))
    .sort((a, b) => b.modified - a.modified);
  const listed = take(heads, describeHead, limit, cwd);
  if (heads.length >= WORTH_REMEMBERING && limit >= heads.length) memory.save({ forgetOthers: cwd === undefined });
  return listed;
}

function describeHead(head: ListedSession | UnreadHead): Described {
  if (!(head instanceof UnreadHead)) return head;
  head.described = describeFile(head.file);
  return head.described;
}

/** Two directories may share a folder name, so the header's cwd decides. */
function take<T>(
  newestFirst: readonly T[],
  describe: (one: T) => Described,
  limit: number,
  cwd: string | undefined,
): ListedSession[] {
  const listed: ListedSession[] = [];
  for (const one of newestFirst) {
    if (listed.length >= limit) break;
    const session = describe(one);
    if (typeof session !== "object") continue;
    if (cwd === undefined || session.cwd === cwd) listed.push(session);
  }
  return listed;
}

/** Undefined if the file is not a session or holds no message. */
export function describeFile(file: SessionFile): Described {
  const head = headOf(file.path);
  if (head === "unreadable") return head;
  if (!head || isEmpty(head)) return undefined;
  const { header, title, firstText } = head;
  return {
    id: header.id,
    path: file.path,
    cwd: header.cwd,
    created: header.timestamp,
    modified: file.mtimeMs,
    bytes: file.bytes,
    ...(title === undefined ? {} : { title }),
    ...(firstText === undefined ? {} : { firstMessage: replaceAttachmentsByNames(firstText).slice(0, TEXT_KEPT) }),
  };
}

function headOf(path: string): SessionSummary | undefined | "unreadable" {
  try {
    return readHead(path);
  } catch (error) {
    if (["ENOENT", "EACCES", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) return "unreadable";
    throw error;
  }
}

const isEmpty = ({ hasMessage, bytes }: SessionSummary): boolean => !hasMessage && bytes <= HEAD_BYTES;

const NAME_LENGTH = 40;

/** The title, or the first words, or the id, as one line without control characters. */
export function sessionName(
  session: Pick<ListedSession, "title" | "firstMessage" | "id">,
  length = NAME_LENGTH,
): string {
  for (const candidate of [session.title, session.firstMessage]) {
    const clean = printableLine(candidate ?? "");
    if (clean === "") continue;
    return shorten(clean, length);
  }
  return printableLine(session.id);
}

/** The name that a session derived from this one refers to. */
export function journalName(journal: Journal): string | undefined {
  const { id } = journal.header;
  if (journal.title) return sessionName({ id, title: journal.title.title });
  const [first] = userMessages(journal);
  return first && sessionName({ id, firstMessage: replaceAttachmentsByNames(textOf(first.message)) });
}

export function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  // Splitting by characters keeps surrogate pairs together.
  const characters = [...text];
  return characters.length > length ? `${characters.slice(0, length - 1).join("")}…` : text;
}

/** Control characters could move the cursor or change the colours of the reader's terminal. */
export const printableLine = (text: string): string =>
  PLAIN.test(text)
    ? text
    : text.replace(/[\p{Cc}\p{Zs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, " ").trim();

/** Most names match this, and a list has ten thousand. */
const PLAIN = /^[!-~]+(?: [!-~]+)*$/;

export function timeAgo(then: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - then) / 1000));
  if (seconds < 60) return "just now";
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  if (seconds < 30 * 86_400) return `${Math.floor(seconds / 86_400)} d ago`;
  return new Date(then).toISOString().slice(0, 10);
}
