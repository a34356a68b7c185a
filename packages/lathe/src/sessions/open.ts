// Opens a session to read it: without a lock, and without writing.

import { FileBlobs, FileStore, Journal, JournalError } from "@lathe/agent";
import { journalDepsOf } from "@lathe/agent/record";
import type { Machine } from "../platform/machine/machine.ts";
import { usageError } from "../platform/usage/exit.ts";

export function openToRead(machine: Machine, blobFolder: string, path: string): Journal {
  const deps = journalDepsOf(new FileBlobs(blobFolder, `${machine.pid}`), machine.deps);
  try {
    return Journal.open(new FileStore(path), deps);
  } catch (error) {
    // The problem is the user's file, not a bug of ours, and the message says what to do.
    if (error instanceof JournalError) throw usageError(error.message);
    throw error;
  }
}
