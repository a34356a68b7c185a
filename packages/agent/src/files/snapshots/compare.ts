// Compares two lists of files, and looks up paths in a list.

import type { BlobStore } from "../../base/blobs/store.ts";
import { join } from "./scan.ts";
import { MissingTree, readTree, type StoredEntry, sameValue, type Value } from "./tree.ts";

export interface Difference {
  readonly path: string;
  readonly before: Value;
  readonly after: Value;
}

const NONE: StoredEntry = { value: { kind: "absent" } };

/** Folders come before their content. */
export function differences(before: string, after: string, blobs: Pick<BlobStore, "get">): Difference[] {
  const found: Difference[] = [];
  compare("/", before, after, blobs, found);
  return found;
}

function compare(
  path: string,
  before: string | undefined,
  after: string | undefined,
  blobs: Pick<BlobStore, "get">,
  found: Difference[],
): void {
  if (before === after) return;
  const old = before === undefined ? new Map<string, StoredEntry>() : readTree(before, blobs);
  const now = after === undefined ? new Map<string, StoredEntry>() : readTree(after, blobs);
  for (const name of new Set([...old.keys(), ...now.keys()])) {
    const a = old.get(name) ?? NONE;
    const b = now.get(name) ?? NONE;
    const inner = join(path, name);
    if (!sameValue(a.value, b.value)) found.push({ path: inner, before: a.value, after: b.value });
    compare(inner, a.folder, b.folder, blobs, found);
  }
}

/** A list for many lookups: each of its folders is read once. */
export class FileList {
  readonly #list: string;
  readonly #blobs: Pick<BlobStore, "get">;
  readonly #folders = new Map<string, ReadonlyMap<string, StoredEntry>>();

  constructor(list: string, blobs: Pick<BlobStore, "get">) {
    this.#list = list;
    this.#blobs = blobs;
  }

  valueOf(path: string): Value {
    let folder: string | undefined = this.#list;
    let entry = NONE;
    for (const name of path.split("/").slice(1)) {
      if (folder === undefined) return NONE.value;
      entry = this.#entries(folder).get(name) ?? NONE;
      folder = entry.folder;
    }
    return entry.value;
  }

  #entries(folder: string): ReadonlyMap<string, StoredEntry> {
    const entries = this.#folders.get(folder) ?? readTree(folder, this.#blobs);
    this.#folders.set(folder, entries);
    return entries;
  }
}

/** Paths of all files in a list, including those known to be absent. Empty if the list itself is missing. */
export const filesIn = (list: string, blobs: Pick<BlobStore, "get">): string[] =>
  entriesIn(list, blobs).map(({ path }) => path);

/** The same, with the value of each. */
export function entriesIn(list: string, blobs: Pick<BlobStore, "get">): { path: string; value: Value }[] {
  const entries: { path: string; value: Value }[] = [];
  const walk = (folder: string, at: string): void => {
    for (const [name, { value, folder: inner }] of readTree(folder, blobs)) {
      if (inner !== undefined) walk(inner, join(at, name));
      else if (value.kind !== "folder" && value.kind !== "repository") entries.push({ path: join(at, name), value });
    }
  };
  try {
    walk(list, "/");
  } catch (error) {
    if (!(error instanceof MissingTree)) throw error;
  }
  return entries;
}
