// Opens the journal of a run: a new file, an existing one, a copy, or one in memory.

import { existsSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { FileBlobs, FileStore, forkJournal, Journal, type JournalDeps, MemoryStore } from "@lathe/agent";
import { type ChildStores, forkChildren } from "@lathe/agent/agents";
import {
  copyArtifacts,
  hasBegun,
  isoTime,
  journalDepsOf,
  type LockOwner,
  lockHolder,
  moveJournalFile,
  movingCopy,
  newMemoryJournal,
  processStartTime,
  readHead,
  realJournalPath,
  sessionFolderName,
  sessionPath,
} from "@lathe/agent/record";
import type { Workspace } from "../../config/workspace/workspace.ts";
import { usageError } from "../../platform/usage/exit.ts";
import { TEAM_CALL } from "../find.ts";
import { journalName } from "../list.ts";

export interface OpenedJournal {
  readonly journal: Journal;
  /** Undefined for a session that is only kept in memory. */
  readonly path?: string;
  /** Folder for artifacts and subagents' journals. */
  readonly folder?: string;
}

/** Closes the journal if setting up the session fails, so that nothing stays locked. */
export async function closedOnFailure<T>({ journal }: OpenedJournal, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await journal.close();
    throw error;
  }
}

/** Opens a journal file, locked for this process. With `create` a missing file is created. */
export function openToWrite(
  workspace: Workspace,
  path: string,
  { create = false }: { create?: boolean } = {},
): FileStore {
  return new FileStore(path, { owner: ownerIn(workspace), create, locks: workspace.paths.locks });
}

function ownerIn({ machine }: Workspace): LockOwner {
  const { pid, host, deps } = machine;
  return { pid, host, startTime: processStartTime(pid), token: deps.uuid() };
}

export function journalDeps(workspace: Workspace): JournalDeps {
  const { machine, paths, settings } = workspace;
  return journalDepsOf(new FileBlobs(paths.blobs, `${machine.pid}`), machine.deps, settings["journal.sync"]);
}

/** Header fields of a new session that only the caller knows. */
interface HeaderFields {
  readonly id?: string;
  readonly runId?: string;
  readonly runDigest?: string;
  readonly parentSession?: string | undefined;
  readonly title?: string | undefined;
}

export function newJournal(workspace: Workspace, extra: HeaderFields = {}, path?: string): OpenedJournal {
  const { deps, paneStarter } = workspace.machine;
  const id = extra.id ?? deps.uuid();
  const timestamp = isoTime(deps.now());
  const file =
    path === undefined ? sessionPath(workspace.paths.sessions, workspace.cwd, timestamp, id) : realJournalPath(path);
  const open = (): FileStore => openToWrite(workspace, file, { create: true });
  const { parentSession, title, ...run } = extra;
  const { member } = paneStarter ?? {};
  const header = {
    ...run,
    ...(member ? { parentCall: TEAM_CALL } : {}),
    ...(parentSession === undefined ? {} : { parentSession }),
    ...(title === undefined ? {} : { title }),
  };
  const journal = Journal.create({ ...header, id, cwd: workspace.cwd, timestamp }, open, journalDeps(workspace));
  return { journal, path: file, folder: folderOf(file) };
}

export function memoryJournal({ machine, cwd }: Workspace): OpenedJournal {
  return { journal: newMemoryJournal(machine.deps, cwd) };
}

export function existingJournal(workspace: Workspace, path: string): OpenedJournal {
  const file = realJournalPath(resolve(workspace.machine.cwd, path));
  mustHaveBegun(file, path);
  const folder = folderOf(file);
  const store = openToWrite(workspace, file);
  try {
    return { journal: Journal.open(store, journalDeps(workspace)), path: file, folder };
  } catch (error) {
    void store.close();
    throw error;
  }
}

/** Reads without a lock: another process may be writing to the file. */
export const readJournal = (workspace: Workspace, path: string): Journal =>
  Journal.open(new FileStore(path), journalDeps(workspace));

function mustHaveBegun(file: string, given: string): void {
  if (hasBegun(file)) return;
  throw usageError(
    existsSync(file)
      ? `${given} holds no session yet. Start one in it: lathe --session ${given}`
      : `Session file not found: ${given}. See: lathe sessions list`,
  );
}

/** An independent copy, with a title that says so; the original does not change. */
export function forkedJournal(workspace: Workspace, path: string): OpenedJournal {
  mustHaveBegun(path, path);
  const journal = readJournal(workspace, path);
  const copy = copyUpTo(workspace, { journal, path }, journal.leaf);
  copy.journal.setTitle(`Copy of ${journalName(journal) ?? "a session"}`, "auto");
  return copy;
}

/** A new session that begins with the path up to `upTo`. A session in memory gives another one in memory. */
export function copyUpTo(workspace: Workspace, source: OpenedJournal, upTo: string | null): OpenedJournal {
  const { deps } = workspace.machine;
  const id = deps.uuid();
  const timestamp = isoTime(deps.now());
  const { cwd } = workspace;
  if (source.path === undefined) {
    const copyDeps = journalDepsOf(source.journal.blobs, deps);
    const header = { id, cwd, timestamp };
    return { journal: forkJournal(source.journal, { upTo, header, store: new MemoryStore() }, copyDeps) };
  }
  const file = sessionPath(workspace.paths.sessions, cwd, timestamp, id);
  const folder = folderOf(file);
  const store = openToWrite(workspace, file, { create: true });
  const header = { id, cwd, timestamp, parentSession: source.path };
  const journal = forkJournal(source.journal, { upTo, header, store }, journalDeps(workspace));
  const from = folderOf(source.path);
  copyArtifacts(from, folder);
  forkChildren(source.journal, journal, childStores(workspace, from, folder), {
    ...journalDeps(workspace),
    uuid: deps.uuid,
  });
  return { journal, path: file, folder };
}

const childStores = (workspace: Workspace, from: string, to: string): ChildStores => ({
  read: (agentId) => {
    const path = join(from, `${agentId}.jsonl`);
    return hasBegun(path) ? new FileStore(path) : undefined;
  },
  create: (agentId) => openToWrite(workspace, join(to, `${agentId}.jsonl`), { create: true }),
});

/**
 * Moves a session to `workspace`'s directory and returns its new path. A file that the user put elsewhere stays where
 * it is. The model is told about the move, because its first message names the old directory.
 */
export async function moveSessionFile(workspace: Workspace, path: string): Promise<string> {
  const from = realJournalPath(path);
  mustHaveBegun(from, path);
  const before = readHead(from)?.header.cwd ?? "";
  const to = placeIn(workspace, from);
  const writer = { owner: ownerIn(workspace), locks: workspace.paths.locks };
  // An interrupted move has already told the model.
  const prepare = before === workspace.cwd ? undefined : (copy: string) => tellOfMove(workspace, copy, before);
  await moveJournalFile({ from, to, cwd: workspace.cwd, writer, prepare });
  await finishMove(workspace, to);
  return to;
}

/**
 * Removes what killed moves of this session left behind; returns false if there was nothing. Refused while the session
 * is open elsewhere.
 */
export async function finishMove(workspace: Workspace, path: string): Promise<boolean> {
  const file = realJournalPath(path);
  const store = openToWrite(workspace, file);
  try {
    const { sessions } = workspace.paths;
    const entries = existsSync(sessions) ? readdirSync(sessions, { withFileTypes: true }) : [];
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(sessions, name));
    const left = [...new Set([...folders, dirname(file)])].flatMap((folder) => leftByMove(workspace, folder, file));
    for (const one of left) rmSync(one, { recursive: true, force: true });
    return left.length > 0;
  } finally {
    await store.close();
  }
}

/**
 * In the session's own folder this is an unfinished copy; in other folders it is everything with its name, unless a
 * process is moving the session there.
 */
function leftByMove({ machine: { host } }: Workspace, folder: string, file: string): string[] {
  const name = basename(file);
  const other = join(folder, name);
  const isHere = realJournalPath(other) === file;
  if (!isHere && (existsSync(other) || lockHolder(`${other}.lock`, { host })?.dead === false)) return [];
  const isLeft = (one: string): boolean =>
    one.startsWith(isHere ? movingCopy(name) : `${name}.`) || (!isHere && one === folderOf(name));
  return readdirSync(folder).flatMap((one) => (isLeft(one) ? [join(folder, one)] : []));
}

/** Whether the session belongs to `workspace`'s directory and its file is in that directory's folder. */
export function isInPlace(workspace: Workspace, path: string): boolean {
  const file = realJournalPath(path);
  return readHead(file)?.header.cwd === workspace.cwd && placeIn(workspace, file) === file;
}

function placeIn({ paths: { sessions }, cwd }: Workspace, file: string): string {
  const isOurs = !relative(realJournalPath(sessions), file).startsWith("..");
  return isOurs ? join(realJournalPath(sessions), sessionFolderName(cwd), basename(file)) : file;
}

async function tellOfMove(workspace: Workspace, copy: string, before: string): Promise<void> {
  const journal = Journal.open(openToWrite(workspace, copy), journalDeps(workspace));
  const content = `The working directory of this session is now ${workspace.cwd}. It was ${before}.`;
  try {
    journal.append({ type: "custom_message", customType: "move", content, display: true, attribution: "agent" });
  } finally {
    await journal.close();
  }
}

const folderOf = (file: string): string => file.replace(/\.jsonl$/, "");
