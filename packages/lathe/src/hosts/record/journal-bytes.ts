// The bytes of a journal, including one in memory.

import { existsSync, readFileSync } from "node:fs";
import { MemoryStore } from "@lathe/agent";
import { newMemoryJournal } from "@lathe/agent/record";
import type { Workspace } from "../../config/workspace/workspace.ts";
import type { OpenedJournal } from "../../sessions/journals/journal-files.ts";

interface InMemoryJournal extends OpenedJournal {
  bytes(): Uint8Array;
}

export function inMemoryJournal(workspace: Workspace): InMemoryJournal {
  const store = new MemoryStore();
  const journal = newMemoryJournal(workspace.machine.deps, workspace.cwd, store);
  return { journal, bytes: () => store.read(0, store.size) };
}

/** Empty if it has no message. */
export function journalBytes(opened: OpenedJournal | InMemoryJournal): Buffer {
  if ("bytes" in opened) return Buffer.from(opened.bytes());
  return opened.path !== undefined && existsSync(opened.path) ? readFileSync(opened.path) : Buffer.alloc(0);
}
