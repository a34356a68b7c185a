// Makes memories of past sessions: reads each session that has changed, then summarizes all of the project. Only one
// process does this at a time; each step is atomic, so that a killed process loses one answer at most.

import { lockHolder, processStartTime, readHead } from "@lathe/agent/record";
import { messageOf } from "@lathe/llm";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import { type SessionFile, sessionFiles } from "../../sessions/files.ts";
import { ownJournals } from "../../sessions/find.ts";
import { readJournal } from "../../sessions/journals/journal-files.ts";
import { type AskModel, LimitReached } from "./ask-model.ts";
import { consolidate, nameOfInput } from "./consolidate.ts";
import { extract } from "./extract.ts";
import type { MemoryPlace } from "./memory-place.ts";
import { type LeaseOwner, MemoryWork } from "./memory-work.ts";
import { countOf } from "./words.ts";

export interface MakingParts {
  readonly workspace: SessionWorkspace;
  readonly place: MemoryPlace;
  readonly ask: AskModel;
  readonly signal: AbortSignal;
  /** Whether the user asked for it: then the summary is made again even if nothing has changed. */
  readonly isWanted: boolean;
}

export interface MadeMemories {
  readonly sessions: number;
  readonly memories: number;
  readonly isSummedUp: boolean;
  /** Why it stopped early. */
  readonly problem?: string;
  /** Whether the problem is a budget that the user set. */
  readonly isAtLimit?: boolean;
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Larger journals are mostly tool output, and take long to read. */
const LARGEST_BYTES = 64 << 20;
const MOST_SUMMED_UP = 400;

/** Undefined if another process is making memories. */
export async function makeMemories(parts: MakingParts): Promise<MadeMemories | undefined> {
  const { workspace, place } = parts;
  const { pid, host, deps } = workspace.machine;
  const owner: LeaseOwner = { pid, host, startTime: processStartTime(pid), token: deps.uuid() };
  const work = new MemoryWork(await place.store(), place.project);
  if (!work.takeLease(owner, deps.now())) return undefined;
  const made = { sessions: 0, memories: 0, isSummedUp: false };
  try {
    for (const file of sessionsToRead(workspace, work)) {
      parts.signal.throwIfAborted();
      made.memories += await readOne(file, work, parts);
      made.sessions++;
      if (!work.takeLease(owner, deps.now())) return undefined;
    }
    made.isSummedUp = await sumUp(work, parts);
    return made;
  } catch (error) {
    parts.signal.throwIfAborted();
    if (error instanceof LimitReached) return { ...made, problem: error.message, isAtLimit: true };
    return { ...made, problem: messageOf(error) };
  } finally {
    work.releaseLease(owner);
    await place.keepHint(place.project);
  }
}

/** One line for the user; undefined if there is nothing to report. */
export function madeLine({ sessions, memories, isSummedUp, problem }: MadeMemories): string | undefined {
  if (sessions === 0 && !isSummedUp && problem === undefined) return undefined;
  const read = `${countOf(memories, "note")} from ${countOf(sessions, "session")}`;
  const summed = isSummedUp ? ", summarized for the next one" : "";
  return `Memory: ${read}${summed}${problem === undefined ? "" : `, then it stopped: ${problem}`}. To see them: /memory`;
}

const stampOf = ({ bytes, mtimeMs }: SessionFile): string => `${bytes} ${mtimeMs}`;

/**
 * Newest first: sessions that are not too old, idle for long enough, not open, and changed since they were last read.
 */
function sessionsToRead({ settings, paths, cwd, machine }: SessionWorkspace, work: MemoryWork): readonly SessionFile[] {
  const now = machine.deps.now();
  const oldest = now - settings["memories.maxRolloutAgeDays"] * DAY_MS;
  const newest = now - settings["memories.minRolloutIdleHours"] * HOUR_MS;
  const shouldRead = (file: SessionFile): boolean => {
    if (file.mtimeMs < oldest || file.mtimeMs > newest || file.bytes > LARGEST_BYTES) return false;
    if (work.stampOf(file.path) === stampOf(file)) return false;
    const holder = lockHolder(`${file.path}.lock`, machine);
    if (holder && !holder.dead) return false;
    const header = readHead(file.path)?.header;
    return header?.cwd === cwd && !ownJournals.has(header.title ?? "");
  };
  const found: SessionFile[] = [];
  for (const file of sessionFiles(paths.sessions, cwd)) {
    if (found.length >= settings["memories.maxRolloutsPerStartup"]) break;
    if (shouldRead(file)) found.push(file);
  }
  return found;
}

/** Returns the number of memories from the session. */
async function readOne(file: SessionFile, work: MemoryWork, { workspace, place, ask }: MakingParts): Promise<number> {
  const { redactor, machine } = workspace;
  const journal = readJournal(workspace, file.path);
  try {
    const now = machine.deps.now;
    const { project, digests } = place;
    const { synopsis, memories } = await extract(journal, { project, digests, redactor, ask, now });
    return work.keepSession(
      { path: file.path, id: journal.header.id, stamp: stampOf(file), synopsis },
      memories,
      now(),
    );
  } finally {
    await journal.close();
  }
}

/** False if nothing has changed, or the answer could not be parsed. */
async function sumUp(work: MemoryWork, { workspace, place, ask, isWanted }: MakingParts): Promise<boolean> {
  const store = await place.store();
  const checked = await place.check(store.list([place.project], MOST_SUMMED_UP));
  const memories = checked.filter(({ changed }) => changed.length === 0).map(({ memory }) => memory);
  const input = { memories, synopses: work.synopses(workspace.settings["memories.maxRolloutsPerStartup"]) };
  const name = nameOfInput(input);
  const isAsked = isWanted || work.isWanted;
  if (memories.length === 0 || (work.digest()?.madeOf === name && !isAsked)) return false;
  // The time must not be before any memory's, whichever clock wrote that, nor after the request.
  const at = Math.max(workspace.machine.deps.now(), ...memories.map((memory) => memory.at));
  const made = await consolidate(input, { ask, redactor: workspace.redactor });
  if (made) work.keepDigest(made, name, at);
  return made !== undefined;
}
