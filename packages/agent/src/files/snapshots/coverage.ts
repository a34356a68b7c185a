// What a snapshot covers: whole folders (the roots), and single paths that calls declare to write, even if ignored or
// outside the roots.

import type { FileChange } from "../../contract/changes.ts";
import { contentOf, linkTarget, listOf, MODE_BITS, type ScanHost } from "./scan.ts";
import { type LookTime, lstatOf, type Stats, statMark } from "./stat.ts";
import { ABSENT, type FolderNode, type Node } from "./tree.ts";

const NOTHING: FolderNode = {
  kind: "folder",
  mode: 0,
  mark: undefined,
  isWhole: false,
  isRoot: false,
  children: new Map(),
  ignored: new Set(),
  rules: undefined,
};

/** A tree that has not been scanned yet. */
export function emptyTree(roots: readonly string[]): FolderNode {
  return roots.reduce((tree, root) => put(tree, partsOf(root), { ...NOTHING, isWhole: true, isRoot: true }), NOTHING);
}

/**
 * The tree with the current state of these paths. Existing ones that were not covered before are added to `found`.
 * Paths that the next scan covers anyway are left to it.
 */
export function withPaths(
  tree: FolderNode,
  paths: Iterable<string>,
  look: { readonly host: ScanHost; readonly time: LookTime; readonly found: string[] },
): FolderNode {
  let next = tree;
  for (const path of paths) {
    const parts = partsOf(path);
    if (parts.length === 0 || look.host.exclude.has(path) || isCovered(next, parts)) continue;
    const node = captureFile(path, look.host, look.time.take());
    if (!node) continue;
    if (node.kind !== "absent") look.found.push(path);
    next = put(next, parts, node);
  }
  return next;
}

/** More files than this in an ignored folder are not handmade. */
const MOST_IN_FOLDER = 2_000;

/** Paths of ignored files that are wanted nevertheless: in covered folders, and in wanted ignored folders. */
export function ignoredIn(tree: FolderNode, isWanted: (path: string) => boolean): string[] {
  const found: string[] = [];
  const walk = (folder: FolderNode, path: string): void => {
    for (const name of folder.isWhole ? folder.ignored : []) {
      const inner = `${path}/${name}`;
      if (name !== ".git" && isWanted(inner)) found.push(...filesAt(inner));
    }
    for (const [name, node] of folder.children) if (node.kind === "folder") walk(node, `${path}/${name}`);
  };
  walk(tree, "");
  return found;
}

function filesAt(path: string): string[] {
  const stat = lstatOf(path);
  if (!stat?.isDirectory()) return stat ? [path] : [];
  const found: string[] = [];
  const waiting = [path];
  for (let at = waiting.pop(); at !== undefined && found.length < MOST_IN_FOLDER; at = waiting.pop())
    for (const [name, isFolder] of listOf(at)) {
      const inner = `${at}/${name}`;
      if (name === "node_modules" || name === ".git") continue;
      if (isFolder) waiting.push(inner);
      else found.push(inner);
    }
  return found;
}

export const isCoveredIn = (tree: FolderNode, path: string): boolean => isCovered(tree, partsOf(path));

/** The tree with the state before a change that was only reported afterwards. */
export function withChange(tree: FolderNode, { path, before }: FileChange): FolderNode {
  if (!before) return put(tree, partsOf(path), ABSENT);
  const { sha256: hash, bytes: size } = before;
  const mode = (lstatOf(path)?.mode ?? 0o644) & MODE_BITS;
  const mark = { mtimeMs: 0, ctimeMs: 0, size, ino: 0, isFresh: true };
  return put(tree, partsOf(path), { kind: "file", mode, mark, hash });
}

const partsOf = (path: string): string[] => path.split("/").filter((part) => part !== "");

function isCovered(tree: FolderNode, parts: readonly string[]): boolean {
  let at: Node | undefined = tree;
  for (const part of parts) {
    if (at?.kind === "repository") return false;
    if (at?.kind !== "folder") return true; // something else is in its place; the next scan handles it
    const child: Node | undefined = at.children.get(part);
    if (!child && at.isWhole) return !at.ignored.has(part);
    if (!child) return false;
    at = child;
  }
  return true;
}

function put(folder: FolderNode, [name, ...rest]: readonly string[], node: Node): FolderNode {
  const child = folder.children.get(name!);
  const inner = rest.length === 0 ? node : put(child?.kind === "folder" ? child : NOTHING, rest, node);
  const { hash: _stale, ...kept } = folder;
  return { ...kept, children: new Map(folder.children).set(name!, inner) };
}

/** Undefined for a folder, because calls write files. */
function captureFile(path: string, host: ScanHost, lookedAt: number): Node | undefined {
  const stat = lstatOf(path);
  if (!stat) return ABSENT;
  if (stat.isSymbolicLink()) {
    const target = linkTarget(path);
    return target === undefined ? ABSENT : { kind: "link", target, mark: statMark(stat, lookedAt) };
  }
  return stat.isFile() ? capturedFile(path, stat, host, lookedAt) : undefined;
}

function capturedFile(path: string, stat: Stats, { blobs, limits }: ScanHost, lookedAt: number): Node {
  const bytes = stat.size <= limits.maxFileBytes ? contentOf(path) : undefined;
  const content = bytes === undefined ? {} : { hash: blobs.put(bytes) };
  return { kind: "file", mode: stat.mode & MODE_BITS, mark: statMark(stat, lookedAt), ...content };
}
