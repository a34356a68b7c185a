// A tree of files at one moment. In memory, each file has its `lstat` result, so that the next scan reads only what has
// changed; in the blob store, a folder is one blob that lists its entries, so that unchanged folders are stored once.

import type { BlobStore } from "../../base/blobs/store.ts";
import { TREE_BLOB } from "../../base/blobs/tree-names.ts";
import type { FolderRules } from "./ignore.ts";
import type { StatMark } from "./stat.ts";

export interface FileNode {
  readonly kind: "file";
  readonly mode: number;
  readonly mark: StatMark;
  /** Name of its content in the blob store; absent if the content is not kept. */
  readonly hash?: string;
}
export interface LinkNode {
  readonly kind: "link";
  readonly target: string;
  readonly mark: StatMark;
}
/** Nothing exists here, and we know it because we checked this very name. */
export interface AbsentNode {
  readonly kind: "absent";
}
export interface FolderNode {
  readonly kind: "folder";
  readonly mode: number;
  readonly mark: StatMark | undefined;
  /** Covers everything that is not ignored; otherwise only the names in `children`. */
  readonly isWhole: boolean;
  /** Covered whole, regardless of the enclosing folder. */
  readonly isRoot: boolean;
  readonly children: ReadonlyMap<string, Node>;
  readonly ignored: ReadonlySet<string>;
  readonly rules: FolderRules | undefined;
  /** Name of its blob, once stored. */
  hash?: string;
}
/** Git's own data, which a rewind does not cover. We only know that it exists. */
export interface RepositoryNode {
  readonly kind: "repository";
}
export type Node = FileNode | LinkNode | AbsentNode | FolderNode | RepositoryNode;

/** What exists at a path, according to the blobs. */
export type Value =
  | AbsentNode
  | RepositoryNode
  | { readonly kind: "file"; readonly mode: number; readonly size: number; readonly hash: string }
  /** A file whose content is not kept; the time distinguishes versions. */
  | { readonly kind: "uncovered"; readonly mode: number; readonly size: number; readonly mtimeMs: number }
  | { readonly kind: "link"; readonly target: string }
  | { readonly kind: "folder"; readonly mode: number };

export const ABSENT: AbsentNode = { kind: "absent" };
export const REPOSITORY: RepositoryNode = { kind: "repository" };

export function sameValue(a: Value, b: Value): boolean {
  if (a.kind === "file" && b.kind === "file") return a.hash === b.hash && a.mode === b.mode;
  return JSON.stringify(a) === JSON.stringify(b);
}

/** A folder with more entries is stored in several blobs, so that one change does not store all of them again. */
const MOST_IN_ONE_BLOB = 256;
const PARTS = 64;

/** Stores what is not stored yet and returns the name of the folder's blob. */
export function storeTree(folder: FolderNode, blobs: Pick<BlobStore, "put">): string {
  if (folder.hash !== undefined) return folder.hash;
  const names = [...folder.children.keys()].sort();
  const lines = names.map((name) => line(name, folder.children.get(name)!, blobs));
  folder.hash =
    names.length <= MOST_IN_ONE_BLOB ? putLines(lines, blobs) : putLines(inParts(names, lines, blobs), blobs);
  return folder.hash;
}

function inParts(names: readonly string[], lines: readonly string[], blobs: Pick<BlobStore, "put">): string[] {
  const parts = Array.from({ length: PARTS }, (): string[] => []);
  for (const [i, name] of names.entries()) parts[partOf(name)]!.push(lines[i]!);
  return parts.flatMap((part) => (part.length === 0 ? [] : [JSON.stringify(["parts", putLines(part, blobs)])]));
}

function partOf(name: string): number {
  let sum = 0;
  for (let i = 0; i < name.length; i++) sum = (Math.imul(sum, 31) + name.charCodeAt(i)) | 0;
  return (sum >>> 0) % PARTS;
}

const putLines = (lines: readonly string[], blobs: Pick<BlobStore, "put">): string =>
  blobs.put(Buffer.from([TREE_BLOB, ...lines, ""].join("\n"), "utf8"));

/** The blob name comes last; folders and parts begin with words that the garbage collector of blobs knows. */
function line(name: string, node: Node, blobs: Pick<BlobStore, "put">): string {
  switch (node.kind) {
    case "file":
      if (node.hash === undefined)
        return JSON.stringify(["uncovered", name, node.mode, node.mark.size, node.mark.mtimeMs]);
      return JSON.stringify(["file", name, node.mode, node.mark.size, node.hash]);
    case "link":
      return JSON.stringify(["link", name, node.target]);
    case "absent":
    case "repository":
      return JSON.stringify([node.kind, name]);
    case "folder":
      return JSON.stringify(["folder", name, node.isWhole ? node.mode : null, storeTree(node, blobs)]);
  }
}

/** An entry of a stored folder; a folder that is not covered whole has no value. */
export interface StoredEntry {
  readonly value: Value;
  readonly folder?: string;
}

/** Entries of a stored folder by name. */
export function readTree(hash: string, blobs: Pick<BlobStore, "get">): Map<string, StoredEntry> {
  const bytes = blobs.get(hash);
  if (!bytes) throw new MissingTree(hash);
  const entries = new Map<string, StoredEntry>();
  for (const text of Buffer.from(bytes).toString("utf8").split("\n").slice(1)) {
    if (text === "") continue;
    const [kind, name, ...rest] = JSON.parse(text) as [string, string, ...unknown[]];
    if (kind === "parts") for (const [inner, entry] of readTree(name, blobs)) entries.set(inner, entry);
    else entries.set(name, storedEntry(kind, name, rest));
  }
  return entries;
}

function storedEntry(kind: string, name: string, rest: readonly unknown[]): StoredEntry {
  const [first, second, third] = rest;
  switch (kind) {
    case "file":
      return { value: { kind, mode: first as number, size: second as number, hash: third as string } };
    case "uncovered":
      return { value: { kind, mode: first as number, size: second as number, mtimeMs: third as number } };
    case "link":
      return { value: { kind, target: first as string } };
    case "folder": {
      // Some files in a `.git` may be covered, because a call has named them.
      const partly = name === ".git" ? REPOSITORY : ABSENT;
      return { value: first === null ? partly : { kind, mode: first as number }, folder: second as string };
    }
    default:
      return { value: kind === "repository" ? REPOSITORY : ABSENT };
  }
}

/** A list of files that a journal line refers to is missing from the blob store. */
export class MissingTree extends Error {
  constructor(hash: string) {
    super(`The snapshot ${hash.slice(0, 12)} is missing from the blob store.`);
    this.name = "MissingTree";
  }
}
