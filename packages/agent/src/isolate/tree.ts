// A folder as a git tree: tracked, changed and untracked files, byte for byte, without what is ignored. Made with an index of our
// own that starts as a copy of the user's, so that only files that have changed are read.

import { copyFileSync, existsSync, lstatSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { type GitRun, type GitStore, zeroFields } from "./git-store.ts";
import { mayConvert, type Repository } from "./repository.ts";

/** What a tree is made of. */
export interface TreeSource {
  /** Paths in the tree are relative to it. */
  readonly top: string;
  /** Only this folder below `top` is looked at, the rest is as the index says; empty for all. */
  readonly scope: string;
  /** Where the files of `top` are to be read; `top` itself when absent. */
  readonly workTree?: string | undefined;
  /** Starts git where the files are visible. */
  readonly enter?: readonly string[] | undefined;
  /** Where this process finds a file of the tree, to learn its size. */
  readonly hostPath: (path: string) => string;
  /** Which differences belong into the tree; all when absent. The other files are as the index says. */
  readonly isWanted?: ((path: string, isGone: boolean) => boolean) | undefined;
}

export interface TakenTree {
  readonly tree: string;
  /** Repositories inside, relative to `top`: their files are not in this tree. */
  readonly nested: readonly string[];
  /** Relative to `top`; they are in the tree as they were before. */
  readonly leftOut: readonly string[];
}

/** Larger files are not merged. */
const MOST_BYTES = 64 << 20;
const GITLINK = "160000";

/**
 * With its time: git reads again what was changed in the second in which an index was written, and a later time would hide a change
 * that kept the file's size.
 */
export function copyIndex(from: string, to: string): void {
  copyFileSync(from, to);
  const { atime, mtime } = statSync(from);
  utimesSync(to, atime, mtime);
}

/** An index that knows what the user's knows, but for nested repositories. */
export async function seedIndex(git: GitStore, repository: Repository | undefined, index: string): Promise<void> {
  const theirs = repository && join(repository.gitDir, "index");
  if (theirs === undefined || !existsSync(theirs)) return;
  copyIndex(theirs, index);
  const listed = await git.ask(["ls-files", "--stage", "-z"], { index });
  if (listed.exitCode !== 0) {
    // Parts of it lie in other files. All files are read, then, as if none were tracked.
    rmSync(index);
    return;
  }
  const entries = zeroFields(listed.stdout);
  const attributes = entries.map(pathOf).filter((path) => /(?:^|\/)\.gitattributes$/.test(path));
  const links = entries.filter((entry) => entry.startsWith(GITLINK));
  if (
    mayConvert(
      repository!,
      attributes.map((path) => join(repository!.top, path)),
    )
  ) {
    // Without what `lstat` said each file is read once, and kept as it is on the disk.
    rmSync(index);
    const files = entries.filter((entry) => / 0\t/.test(entry) && !entry.startsWith(GITLINK));
    await git.run(["update-index", "-z", "--index-info"], { index, stdin: lines(files) });
  } else if (links.length > 0) {
    await git.run(["update-index", "-z", "--force-remove", "--stdin"], { index, stdin: lines(links.map(pathOf)) });
  }
}

const pathOf = (entry: string): string => entry.slice(entry.indexOf("\t") + 1);
const lines = (paths: readonly string[]): Buffer => Buffer.from(paths.map((path) => `${path}\0`).join(""));

export async function takeTree(git: GitStore, index: string, source: TreeSource): Promise<TakenTree> {
  const { top, scope, workTree = top, enter, hostPath, isWanted = () => true } = source;
  const run: GitRun = { index, workTree, enter };
  const within = scope === "" ? [] : ["--", scope];
  const args = ["ls-files", "-z", "-t", "--modified", "--deleted", "--others", "--exclude-standard", ...within];
  const listed = zeroFields(await git.run(args, run)).map((field) => ({ tag: field[0], path: field.slice(2) }));
  const nested = listed.filter(({ path }) => path.endsWith("/")).map(({ path }) => path.slice(0, -1));
  const gone = new Set(listed.filter(({ tag }) => tag === "R").map(({ path }) => path));
  const paths = [...new Set(listed.map(({ path }) => path))].filter(
    (path) => !path.endsWith("/") && isWanted(path, gone.has(path)),
  );
  const leftOut = paths.filter((path) => (sizeOf(hostPath(path)) ?? 0) > MOST_BYTES);
  const taken = leftOut.length === 0 ? paths : paths.filter((path) => !leftOut.includes(path));
  // Apart, and first: git looks at the disk before it forgets a file, and refuses when a link has taken its folder's place.
  const removed = taken.filter((path) => gone.has(path));
  if (removed.length > 0) await update(git, run, ["--force-remove"], removed);
  const present = taken.filter((path) => !gone.has(path));
  if (present.length > 0) await update(git, run, ["--add", "--remove", "--replace"], present);
  const tree = (await git.run(["write-tree"], { index })).toString("utf8").trim();
  return { tree, nested, leftOut };
}

function update(git: GitStore, run: GitRun, how: readonly string[], paths: readonly string[]): Promise<Buffer> {
  return git.run(["update-index", "-z", ...how, "--stdin"], { ...run, stdin: lines(paths) });
}

function sizeOf(path: string): number | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.size;
}

/** Folders that are ignored and hold repositories of their own, directly or one level below; relative to `top`. */
export async function ignoredRepositories(
  git: GitStore,
  index: string,
  { top, scope }: TreeSource,
  names: (folder: string) => readonly string[],
): Promise<string[]> {
  const within = scope === "" ? [] : ["--", scope];
  const args = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory", ...within];
  const ignored = zeroFields(await git.run(args, { index, workTree: top })).filter((path) => path.endsWith("/"));
  return ignored.flatMap((path) => {
    const folder = path.slice(0, -1);
    if (existsSync(join(top, folder, ".git"))) return [folder];
    return names(join(top, folder)).flatMap((name) =>
      existsSync(join(top, folder, name, ".git")) ? [`${folder}/${name}`] : [],
    );
  });
}

/** Which paths differ, and what they are on the two sides. */
export interface TreeDifference {
  readonly path: string;
  readonly before: TreeEntry | undefined;
  readonly after: TreeEntry | undefined;
}
export interface TreeEntry {
  readonly mode: string;
  readonly object: string;
}

/** Nested repositories are left out: they have trees of their own. */
export async function treeDifference(git: GitStore, before: string, after: string): Promise<TreeDifference[]> {
  if (before === after) return [];
  const fields = zeroFields(await git.run(["diff-tree", "-r", "-z", "--no-renames", "--full-index", before, after]));
  const found: TreeDifference[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [modeBefore, modeAfter, objectBefore, objectAfter] = fields[at]!.slice(1).split(" ");
    const entry = (mode: string, object: string): TreeEntry | undefined =>
      /^0+$/.test(mode) ? undefined : { mode, object };
    const difference = {
      path: fields[at + 1]!,
      before: entry(modeBefore!, objectBefore!),
      after: entry(modeAfter!, objectAfter!),
    };
    if (difference.before?.mode === GITLINK || difference.after?.mode === GITLINK) continue;
    found.push(difference);
  }
  return found;
}

/** Contents of objects, in one go. */
export async function readObjects(git: GitStore, objects: readonly string[]): Promise<Map<string, Buffer>> {
  const wanted = [...new Set(objects)];
  const contents = new Map<string, Buffer>();
  if (wanted.length === 0) return contents;
  const bytes = await git.run(["cat-file", "--batch"], { stdin: Buffer.from(`${wanted.join("\n")}\n`) });
  let at = 0;
  for (const object of wanted) {
    const end = bytes.indexOf(10, at);
    const [, , size] = bytes.subarray(at, end).toString("latin1").split(" ");
    if (size === undefined) throw new Error(`The object ${object} is missing from ${git.gitDir}.`);
    contents.set(object, bytes.subarray(end + 1, end + 1 + Number(size)));
    at = end + 2 + Number(size);
  }
  return contents;
}
