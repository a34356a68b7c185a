// The part of a digest that is still valid: with the files behind each item, and without items based on memories that
// were deleted or changed since.

import type { HintNote } from "./hint.ts";
import type { Memory, RestsOn } from "./memory.ts";
import type { MemoryStore } from "./memory-store.ts";
import { MemoryWork } from "./memory-work.ts";

export interface DigestView {
  readonly summary: readonly HintNote[];
  readonly sections: readonly { readonly title: string; readonly items: readonly HintNote[] }[];
  readonly playbooks: readonly {
    readonly name: string;
    readonly about: string;
    readonly body: string;
    readonly files: readonly RestsOn[];
  }[];
  /** Memories that the digest does not cover, newest first. */
  readonly newer: readonly Memory[];
}

/** More than any page or hint has room for. */
const MOST_NEWER = 200;

export function digestView(store: MemoryStore, project: string): DigestView {
  const made = new MemoryWork(store, project).digest();
  const newest = store.list([project], MOST_NEWER);
  if (!made) return { summary: [], sections: [], playbooks: [], newer: newest };
  const { digest, at } = made;
  const holding = new Map<number, Memory>();
  for (const id of digest.of) {
    const memory = store.get(id, [project]);
    if (memory && memory.at <= at) holding.set(id, memory);
  }
  const filesOf = (from: readonly number[]): readonly RestsOn[] | undefined => {
    const memories = from.map((id) => holding.get(id));
    return memories.includes(undefined) ? undefined : memories.flatMap((memory) => memory?.files ?? []);
  };
  const notes = (items: readonly { readonly text: string; readonly from: readonly number[] }[]): HintNote[] =>
    items.flatMap(({ text, from }) => {
      const files = filesOf(from);
      return files === undefined ? [] : [{ text, files: distinct(files) }];
    });
  return {
    summary: notes(digest.summary),
    sections: digest.sections.map(({ title, items }) => ({ title, items: notes(items) })),
    playbooks: digest.playbooks.flatMap(({ name, about, body, from }) => {
      const files = filesOf(from);
      return files === undefined ? [] : [{ name, about, body, files: distinct(files) }];
    }),
    newer: newest.filter(({ id }) => !holding.has(id)),
  };
}

/** Two memories may be based on two states of one file. Then both are kept, and the item is stale. */
const distinct = (files: readonly RestsOn[]): readonly RestsOn[] => [
  ...new Map(files.map((file) => [`${file.path} ${file.digest}`, file])).values(),
];
