// Opens a session for looking at it: no lock, nothing is written, files of older versions too.

import { FileBlobs, FileStore, Journal, type JournalDeps, JournalError } from "@lathe/agent";
import { JOURNAL_VERSION } from "@lathe/agent/contract";
import { importJournal, journalDepsOf, readHead } from "@lathe/agent/record";
import type { Machine } from "../platform/machine/machine.ts";
import { usageError } from "../platform/usage/exit.ts";

export function openToRead(machine: Machine, blobFolder: string, path: string): Journal {
  const deps = journalDepsOf(new FileBlobs(blobFolder, `${machine.pid}`), machine.deps);
  try {
    return open(path, deps);
  } catch (error) {
    // It is about the user's file, not a fault of ours, and says what to do.
    if (error instanceof JournalError) throw usageError(error.message);
    throw error;
  }
}

function open(path: string, deps: JournalDeps): Journal {
  const header = readHead(path)?.header;
  const store = new FileStore(path);
  if (header === undefined || header.version >= JOURNAL_VERSION) return Journal.open(store, deps);
  const openStore = (): never => {
    throw new Error(`${path} was opened read-only.`);
  };
  return importJournal(store, { id: header.id, openStore }, deps);
}
