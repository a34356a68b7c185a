// What a list of sessions shows, from the ends of each file alone.

import { JOURNAL_VERSION, readHead, type SessionSummary } from "@lathe/agent";
import { type SessionFile, sessionFiles } from "./files.ts";
import { HeadMemory } from "./head-memory.ts";

export interface ListedSession {
  readonly id: string;
  readonly path: string;
  readonly cwd: string;
  readonly created: string;
  /** Milliseconds since the epoch. */
  readonly modified: number;
  readonly bytes: number;
  readonly title?: string;
  /** Beginning of the first user message. */
  readonly firstMessage?: string;
}

export interface ListRequest {
  readonly sessionsRoot: string;
  /** Sessions of this directory only. */
  readonly cwd?: string;
  /** Undefined: all. */
  readonly limit?: number;
  /** Where what was read is remembered. */
  readonly cacheFile: string;
}

/** Below this many, reading the files is cheaper than reading the memory. */
const WORTH_REMEMBERING = 200;
const TEXT_KEPT = 200;
/** `readHead` has read a file of this length whole. */
const HEAD_BYTES = 4096;

/** Newest first. A session without a message is not listed. */
export function listSessions(request: ListRequest): ListedSession[] {
  const files = sessionFiles(request.sessionsRoot, request.cwd);
  const limit = request.limit ?? files.length;
  if (Math.min(limit, files.length) < WORTH_REMEMBERING) return take(files, limit, describeFile, request.cwd);
  const memory = new HeadMemory(request.cacheFile, describeFile);
  const listed = take(files, limit, (file) => memory.describe(file), request.cwd);
  memory.save({ forgetOthers: request.cwd === undefined && limit >= files.length });
  return listed;
}

/** Two directories may share a folder's name, so the header's cwd decides. */
function take(
  files: readonly SessionFile[],
  limit: number,
  describe: (file: SessionFile) => ListedSession | undefined,
  cwd: string | undefined,
): ListedSession[] {
  const listed: ListedSession[] = [];
  for (const file of files) {
    if (listed.length >= limit) break;
    const session = describe(file);
    if (session && (cwd === undefined || session.cwd === cwd)) listed.push(session);
  }
  return listed;
}

/** Undefined for a file that is no session, or that holds no message. */
export function describeFile(file: SessionFile): ListedSession | undefined {
  const head = readHead(file.path);
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
    ...(firstText === undefined ? {} : { firstMessage: firstText.slice(0, TEXT_KEPT) }),
  };
}

/** Messages of older formats are not looked into, so their files are never taken for empty. */
const isEmpty = ({ header, firstText, bytes }: SessionSummary): boolean =>
  firstText === undefined && bytes <= HEAD_BYTES && header.version >= JOURNAL_VERSION;

const NAME_LENGTH = 40;

/** Title, else the first words, else the id: one line without control characters. */
export function sessionName(
  session: Pick<ListedSession, "title" | "firstMessage" | "id">,
  length = NAME_LENGTH,
): string {
  for (const candidate of [session.title, session.firstMessage]) {
    const clean = oneLine(candidate ?? "");
    if (clean !== "") return clean.length > length ? `${clean.slice(0, length - 1)}…` : clean;
  }
  return session.id;
}

/** Control characters could move the cursor or change the colours of the reader's terminal. */
export const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zs}\p{Zl}\p{Zp}]+/gu, " ").trim();

export function timeAgo(then: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - then) / 1000));
  if (seconds < 60) return "just now";
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  if (seconds < 30 * 86_400) return `${Math.floor(seconds / 86_400)} d ago`;
  return new Date(then).toISOString().slice(0, 10);
}
