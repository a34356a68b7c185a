// Finds memories by their words, and tells those that still hold from those whose files have changed.

import type { FileDigests } from "./file-digests.ts";
import type { Memory } from "./memory.ts";
import type { FoundMemory, MemoryStore } from "./memory-store.ts";

export interface CheckedMemory<T extends Memory = Memory> {
  readonly memory: T;
  /** Files that are not as they were: it is withheld. */
  readonly changed: readonly string[];
}

export interface MemorySearch {
  readonly store: MemoryStore;
  readonly digests: FileDigests;
  readonly projects: readonly string[];
  /** How many are given. */
  readonly most: number;
}

export interface FoundMemories {
  readonly fresh: readonly CheckedMemory<FoundMemory>[];
  /** Among the best of all, those that are stale. */
  readonly withheld: readonly CheckedMemory<FoundMemory>[];
}

/** Some of the best may be withheld. */
const SPARE = 3;

export async function findMemories(
  question: string,
  { store, digests, projects, most }: MemorySearch,
): Promise<FoundMemories> {
  let checked = await checkMemories(store.search(question, projects, most), digests);
  // Mostly all hold, and the first look is enough.
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
  Promise.all(memories.map(async (memory) => ({ memory, changed: await digests.changed(memory.files) })));
