// Finds memories by their words, and separates valid ones from those whose files have changed.

import type { FileDigests } from "./file-digests.ts";
import type { Memory } from "./memory.ts";
import type { FoundMemory, MemoryStore } from "./memory-store.ts";

export interface CheckedMemory<T extends Memory = Memory> {
  readonly memory: T;
  /** Files that have changed; if there are any, the memory is withheld. */
  readonly changed: readonly string[];
}

export interface MemorySearch {
  readonly store: MemoryStore;
  readonly digests: FileDigests;
  readonly projects: readonly string[];
  /** The maximum number of results. */
  readonly most: number;
}

export interface FoundMemories {
  readonly fresh: readonly CheckedMemory<FoundMemory>[];
  /** Stale memories that would otherwise be among the results. */
  readonly withheld: readonly CheckedMemory<FoundMemory>[];
}

/** A second search asks for this many times more, because some of the best may be stale. */
const SPARE = 3;

export async function findMemories(
  question: string,
  { store, digests, projects, most }: MemorySearch,
): Promise<FoundMemories> {
  let checked = await checkMemories(store.search(question, projects, most), digests);
  // Usually all are valid, and one search is enough.
  if (checked.length === most && checked.some(({ changed }) => changed.length > 0))
    checked = await checkMemories(store.search(question, projects, most * SPARE), digests);
  const fresh = checked.filter(({ changed }) => changed.length === 0).slice(0, most);
  const last = fresh.at(-1);
  const end = fresh.length < most || last === undefined ? checked.length : checked.indexOf(last);
  return { fresh, withheld: checked.slice(0, end).filter(({ changed }) => changed.length > 0) };
}

export const checkMemories = <T extends Memory>(
  memories: readonly T[],
  digests: FileDigests,
): Promise<readonly CheckedMemory<T>[]> =>
  Promise.all(memories.map(async (memory) => ({ memory, changed: await digests.changedFiles(memory.files) })));
