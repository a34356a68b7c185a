// Lists of files in the blob store: their first lines, and the blobs they refer to.

/** First line of a stored folder; see snapshots/tree.ts. */
export const TREE_BLOB = "lathe-tree 1";

const REFERENCE = /^\["(file|folder|parts)",.*"([0-9a-f]{64})"\]$/gm;

export interface TreeNames {
  readonly contents: readonly string[];
  /** Blobs that are themselves lists. */
  readonly lists: readonly string[];
}

export function namesInTree(text: string): TreeNames {
  const contents: string[] = [];
  const lists: string[] = [];
  for (const [, kind, name = ""] of text.matchAll(REFERENCE)) (kind === "file" ? contents : lists).push(name);
  return { contents, lists };
}
