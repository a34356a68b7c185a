// Opens a journal on disk in one call, for hosts with no special needs: the file, its lock and its blobs.

import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { FileBlobs } from "../../base/blobs/file-blobs.ts";
import type { BlobStore } from "../../base/blobs/store.ts";
import type { SessionDeps } from "../../base/time/deadline.ts";
import type { ChildHeader } from "../../contract/journal.ts";
import { FileStore } from "./file-store.ts";
import { forkJournal } from "./fork.ts";
import { hasBegun } from "./has-begun.ts";
import type { NewHeader } from "./header.ts";
import { Journal } from "./journal.ts";
import { processStartTime } from "./lock.ts";
import { journalDepsOf } from "./new-journal.ts";
import type { JournalDeps, SyncMode } from "./new-lines.ts";

/** The location of the file, and how a new session begins. */
export interface JournalFileOptions {
  /** The file is created with the first message. */
  readonly path: string;
  /** Working directory of a new session; an existing one keeps its own. */
  readonly cwd: string;
  readonly deps: Pick<SessionDeps, "now" | "random" | "uuid">;
  /** Folder of the blobs, which several journals may share; `blobs` next to the file if absent. */
  readonly blobs?: string | undefined;
  /** `turn` if absent. */
  readonly sync?: SyncMode | undefined;
  /** A new session begins as a copy of this one, up to `upTo` (its leaf if absent). */
  readonly forkOf?: { readonly journal: Journal; readonly upTo?: string | null } | undefined;
}

/** Opens an existing session or creates one. This process is its only writer until it is closed. */
export function openJournalFile(options: JournalFileOptions): Journal {
  const { path, cwd, deps, forkOf } = options;
  const blobs = new FileBlobs(options.blobs ?? join(dirname(path), "blobs"), String(process.pid));
  const header = { id: deps.uuid(), cwd };
  if (forkOf === undefined || hasBegun(path)) return openOrCreate(path, header, blobs, options);
  const { journal, upTo = journal.leaf } = forkOf;
  const parent = { ...header, parentSession: journal.label };
  return forkJournal(journal, { upTo, header: parent, store: storeAt(path, deps) }, journalDeps(blobs, options));
}

/** For `SubagentOptions.journal`: puts the journals of children into the folder of their parent's, with its blobs. */
export function childJournalFiles(
  parent: Journal,
  options: Pick<JournalFileOptions, "deps" | "sync">,
): (header: ChildHeader) => Journal {
  return (child) => {
    // A child may be the first event of a session, so its file is created now.
    if (parent.folder === undefined) parent.persist();
    if (parent.folder === undefined) throw new Error(`${parent.label}: a journal without a file has no folder.`);
    const header = { ...child, id: options.deps.uuid() };
    return openOrCreate(join(parent.folder, `${child.agentId}.jsonl`), header, parent.blobs, options);
  };
}

type Rules = Pick<JournalFileOptions, "deps" | "sync">;

function openOrCreate(path: string, header: NewHeader, blobs: BlobStore, rules: Rules): Journal {
  // The lock is taken now, although the file appears with the first message: two hosts must not start the same session.
  const store = storeAt(path, rules.deps);
  return store.size === 0
    ? Journal.create(header, store, journalDeps(blobs, rules))
    : Journal.open(store, journalDeps(blobs, rules));
}

function journalDeps(blobs: BlobStore, { deps, sync }: Rules): JournalDeps {
  return journalDepsOf(blobs, deps, sync);
}

function storeAt(path: string, deps: JournalFileOptions["deps"]): FileStore {
  const { pid } = process;
  const owner = { pid, startTime: processStartTime(pid), host: hostname(), token: deps.uuid() };
  return new FileStore(path, { owner, create: true });
}
