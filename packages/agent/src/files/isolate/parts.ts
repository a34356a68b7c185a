// The repositories of a view: the one around its root, and those nested in it. Each has its own base, store and index.

import { mkdirSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import type { Processes } from "../../world/process/processes.ts";
import { type GitStore, openGitStore } from "./git-store.ts";
import { copyIndex } from "./on-disk.ts";
import { type Repository, readGitFile, repositoryAround, repositoryAt } from "./repository.ts";
import { ignoredRepositories, seedIndex, type TakenTree, type TreeSource, takeTree } from "./tree.ts";

/** A repository of a view, or the folder itself if there is none. */
export interface Part {
  readonly top: string;
  readonly scope: string;
  readonly repository: Repository | undefined;
  readonly git: GitStore;
  /** Tree of the files when the view was opened. */
  readonly base: string;
  readonly baseIndex: string;
  /** Ignore rules in addition to those of the tree. */
  readonly excludes: string;
}

export interface PartsOptions {
  readonly root: string;
  /** Folder for stores and indexes. */
  readonly folder: string;
  readonly processes: Processes;
  readonly path: string | undefined;
  readonly personalIgnores?: string | undefined;
  readonly signal: AbortSignal;
}

/** More repositories than this are ignored. */
const MOST_PARTS = 64;

/** Reads the current state of the project. */
export async function takeParts(options: PartsOptions): Promise<Part[]> {
  const { root } = options;
  const around = repositoryAround(root);
  const top = around?.top ?? root;
  const parts: Part[] = [];
  const waiting: { top: string; scope: string; repository: Repository | undefined }[] = [
    { top, scope: relative(top, root), repository: around },
  ];
  for (let next = waiting.shift(); next && parts.length < MOST_PARTS; next = waiting.shift()) {
    const { part, nested } = await takePart(options, next, parts.length);
    parts.push(part);
    for (const path of nested) waiting.push({ top: path, scope: "", repository: repositoryAt(path) });
  }
  return parts;
}

/** Restores parts that were taken earlier from their record. */
export function restoreParts(options: Omit<PartsOptions, "personalIgnores">, taken: readonly TakenPart[]): Part[] {
  const { root, folder, processes, path, signal } = options;
  return taken.map(({ top, scope, base, baseIndex, excludes }, number) => {
    const repository = scope === "" && top !== root ? repositoryAt(top) : repositoryAround(root);
    const gitDir = join(folder, `part-${number}`);
    const borrowed = repository ? [join(repository.commonDir, "objects")] : [];
    const objectFormat = repository?.objectFormat;
    const git = openGitStore({ gitDir, processes, path, borrowed, objectFormat, excludes, signal });
    return { top, scope, repository, git, base, baseIndex: join(gitDir, baseIndex), excludes };
  });
}

/** What must be recorded about a part to restore it. */
export interface TakenPart extends Pick<Part, "top" | "scope" | "base" | "excludes"> {
  /** Name of the file in the folder of the part. */
  readonly baseIndex: string;
}

async function takePart(
  options: PartsOptions,
  { top, scope, repository }: { top: string; scope: string; repository: Repository | undefined },
  number: number,
): Promise<{ part: Part; nested: string[] }> {
  const { folder, processes, path, personalIgnores = "", signal } = options;
  const gitDir = join(folder, `part-${number}`);
  mkdirSync(gitDir, { recursive: true });
  const own = repository && readGitFile(join(repository.commonDir, "info/exclude"));
  const excludes = `${own ?? ""}\n${personalIgnores}\n`;
  const git = openGitStore({
    gitDir,
    processes,
    path,
    borrowed: repository ? [join(repository.commonDir, "objects")] : [],
    objectFormat: repository?.objectFormat,
    excludes,
    signal,
  });
  const baseIndex = join(gitDir, "index");
  await seedIndex(git, repository, baseIndex);
  const source: TreeSource = { top, scope, hostPath: (name) => join(top, name) };
  const taken = await takeTree(git, baseIndex, source);
  const nested = await nestedOf(git, baseIndex, source, taken);
  return { part: { top, scope, repository, git, base: taken.tree, baseIndex, excludes }, nested };
}

async function nestedOf(git: GitStore, index: string, source: TreeSource, taken: TakenTree): Promise<string[]> {
  const names = (folder: string): string[] => {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  };
  const ignored = await ignoredRepositories(git, index, source, names);
  return [...new Set([...taken.nested, ...ignored])]
    .map((path) => join(source.top, path))
    .filter((path) => repositoryAt(path) !== undefined);
}

/** Where the files of a part are, and an index that knows them; the project itself if absent. */
export interface PartSource extends Partial<TreeSource> {
  readonly index?: string | undefined;
}

/** Takes the same part again with its current files, either here or where a view shows them. */
export function retakePart(part: Part, index: string, source: PartSource = {}): Promise<TakenTree> {
  copyIndex(source.index ?? part.baseIndex, index);
  const { top, scope } = part;
  return takeTree(part.git, index, { top, scope, hostPath: (name) => join(top, name), ...source });
}
