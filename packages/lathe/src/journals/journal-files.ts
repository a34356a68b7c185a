// Opens the journal of a run: a new file, an existing one, a copy of one, or none on disk.

import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import {
  FileBlobs,
  FileStore,
  forkJournal,
  hasBegun,
  idSource,
  importJournal,
  isoTime,
  Journal,
  type JournalDeps,
  type LockOwner,
  MemoryBlobs,
  MemoryStore,
  processStartTime,
  readHead,
  realJournalPath,
  sessionPath,
} from "@lathe/agent";
import { usageError } from "../usage/exit.ts";
import type { Workspace } from "../workspace/workspace.ts";

export interface OpenedJournal {
  readonly journal: Journal;
  /** Undefined for a session that is kept in memory only. */
  readonly path?: string;
  /** Folder for artifacts and child journals. */
  readonly folder?: string;
}

const JOURNAL_VERSION = 4;

/** Nothing stays locked when setting up the session fails. */
export async function closedOnFailure<T>({ journal }: OpenedJournal, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await journal.close();
    throw error;
  }
}

/** The file of a journal, locked for this process. With `create` it is made when it is not there. */
export function openToWrite(
  { machine, paths }: Workspace,
  path: string,
  { create = false }: { create?: boolean } = {},
): FileStore {
  const { pid, host, deps } = machine;
  const owner: LockOwner = { pid, host, startTime: processStartTime(pid), token: deps.uuid() };
  return new FileStore(path, { owner, create, locks: paths.locks });
}

export function journalDeps(workspace: Workspace): JournalDeps {
  const { deps } = workspace.machine;
  return {
    blobs: new FileBlobs(workspace.paths.blobs, `${workspace.machine.pid}`),
    now: deps.now,
    newId: idSource(deps.random),
    sync: workspace.settings["journal.sync"],
  };
}

export function newJournal(
  workspace: Workspace,
  extra: { id?: string; runId?: string; runDigest?: string; parentSession?: string } = {},
  path?: string,
): OpenedJournal {
  const { deps } = workspace.machine;
  const id = extra.id ?? deps.uuid();
  const timestamp = isoTime(deps.now());
  const file =
    path === undefined ? sessionPath(workspace.paths.sessions, workspace.cwd, timestamp, id) : realJournalPath(path);
  const open = (): FileStore => openToWrite(workspace, file, { create: true });
  const journal = Journal.create({ ...extra, id, cwd: workspace.cwd, timestamp }, open, journalDeps(workspace));
  return { journal, path: file, folder: file.replace(/\.jsonl$/, "") };
}

export function memoryJournal(workspace: Workspace): OpenedJournal {
  const { deps } = workspace.machine;
  const journal = Journal.create({ id: deps.uuid(), cwd: workspace.cwd }, () => new MemoryStore(), {
    blobs: new MemoryBlobs(),
    now: deps.now,
    newId: idSource(deps.random),
  });
  return { journal };
}

export function existingJournal(workspace: Workspace, path: string): OpenedJournal {
  const file = realJournalPath(resolve(workspace.machine.cwd, path));
  mustHaveBegun(file, path);
  const folder = file.replace(/\.jsonl$/, "");
  if ((readHead(file)?.header.version ?? 1) < JOURNAL_VERSION) return importOld(workspace, file);
  const store = openToWrite(workspace, file);
  try {
    return { journal: Journal.open(store, journalDeps(workspace)), path: file, folder };
  } catch (error) {
    void store.close();
    throw error;
  }
}

function mustHaveBegun(file: string, given: string): void {
  if (hasBegun(file)) return;
  throw usageError(
    existsSync(file)
      ? `${given} holds no session yet. Begin one in it: lathe --session ${given}`
      : `Session file not found: ${given}. See: lathe sessions list`,
  );
}

/** An older file is only read; the session continues in a new one beside it. */
function importOld(workspace: Workspace, file: string): OpenedJournal {
  const { deps } = workspace.machine;
  const id = deps.uuid();
  const path = join(dirname(file), `${isoTime(deps.now()).replace(/[:.]/g, "-")}_${id}.jsonl`);
  const openStore = (): FileStore => openToWrite(workspace, path, { create: true });
  const journal = importJournal(new FileStore(file), { id, openStore }, journalDeps(workspace));
  return { journal, path, folder: path.replace(/\.jsonl$/, "") };
}

/** An independent copy; the original does not change. */
export function forkedJournal(workspace: Workspace, path: string): OpenedJournal {
  const { deps } = workspace.machine;
  mustHaveBegun(path, path);
  const source = Journal.open(new FileStore(path), journalDeps(workspace));
  const id = deps.uuid();
  const timestamp = isoTime(deps.now());
  const file = sessionPath(workspace.paths.sessions, workspace.cwd, timestamp, id);
  const store = openToWrite(workspace, file, { create: true });
  const header = { id, cwd: workspace.cwd, timestamp, parentSession: path };
  const journal = forkJournal(source, { upTo: source.leaf, header, store }, journalDeps(workspace));
  return { journal, path: file, folder: file.replace(/\.jsonl$/, "") };
}
