// A folder as a git tree: tracked, changed and untracked files, byte for byte, without ignored ones. Uses a separate
// index that starts as a copy of the user's, so that only changed files are read.

import { existsSync, rmSync, type Stats } from "node:fs";
import { join } from "node:path";
import { GitFailed, type GitRun, type GitStore, zeroFields } from "./git-store.ts";
import { canRead, copyIndex, isBehindLink, lstatOf } from "./on-disk.ts";
import { mayConvert, type Repository } from "./repository.ts";
import type { LeftOut, LeftOutReason } from "./types.ts";

/** The source of a tree. */
export interface TreeSource {
  /** Paths in the tree are relative to it. */
  readonly top: string;
  /** Only this folder below `top` is read; the rest is taken from the index. Empty for everything. */
  readonly scope: string;
  /** Where to read the files of `top`; `top` itself if absent. */
  readonly workTree?: string | undefined;
  /** Prefix that starts git where the files are visible. */
  readonly enter?: readonly string[] | undefined;
  /** Where this process finds a file of the tree, to get its size. */
  readonly hostPath: (path: string) => string;
  /** Which differences belong in the tree; all if absent. Other files are taken from the index. */
  readonly isWanted?: ((path: string, isGone: boolean) => boolean) | undefined;
  /** Paths that belong in the tree even if they are ignored. */
  readonly also?: readonly string[] | undefined;
}

export interface TakenTree {
  readonly tree: string;
  /** Nested repositories, relative to `top`, whose files are not in this tree. */
  readonly nested: readonly string[];
  /** Paths relative to `top` that are in the tree as they were before. */
  readonly leftOut: readonly LeftOut[];
  /** The folder no longer exists; the tree is as it was before. */
  readonly isGone: boolean;
}

/** Larger files are not merged. */
const MOST_BYTES = 64 << 20;
const GITLINK = "160000";
/** A file that keeps being written while we read it this often cannot be read. */
const MOST_TRIES = 10;

/** Creates an index from the user's, without nested repositories. */
export async function seedIndex(git: GitStore, repository: Repository | undefined, index: string): Promise<void> {
  const theirs = repository && join(repository.gitDir, "index");
  if (theirs === undefined || !existsSync(theirs)) return;
  copyIndex(theirs, index);
  const listed = await git.ask(["ls-files", "--stage", "-v", "-z"], { index });
  if (listed.exitCode !== 0) {
    // It is split over several files. Without it, all files are read as if none were tracked.
    rmSync(index);
    return;
  }
  // As bytes, because a name need not be UTF-8.
  const tagged = listed.stdout.toString("latin1").split("\0").slice(0, -1);
  const entries = tagged.map((entry) => entry.slice(2));
  await clearSkipFlags(git, index, tagged);
  const attributes = entries.map(pathOf).filter((path) => /(?:^|\/)\.gitattributes$/.test(path));
  const links = entries.filter((entry) => entry.startsWith(GITLINK));
  if (
    mayConvert(
      repository!,
      [".gitattributes", ...attributes].map((path) => join(repository!.top, path)),
    )
  ) {
    // Without stat data, each file is read once and stored as it is on disk.
    rmSync(index);
    const files = entries.filter((entry) => / 0\t/.test(entry) && !entry.startsWith(GITLINK));
    await git.run(["update-index", "-z", "--index-info"], { index, stdin: lines(files, "latin1") });
  } else if (links.length > 0) {
    const stdin = lines(links.map(pathOf), "latin1");
    await git.run(["update-index", "-z", "--force-remove", "--stdin"], { index, stdin });
  }
}

/** Files that the user marked "assume unchanged" or "skip worktree" would otherwise always seem unchanged. */
async function clearSkipFlags(git: GitStore, index: string, tagged: readonly string[]): Promise<void> {
  for (const [tag, flag] of [
    [/^[a-z]/, "--no-assume-unchanged"],
    [/^[Ss]/, "--no-skip-worktree"],
  ] as const) {
    const paths = tagged.filter((entry) => tag.test(entry)).map(pathOf);
    if (paths.length > 0)
      await git.run(["update-index", "-z", flag, "--stdin"], { index, stdin: lines(paths, "latin1") });
  }
}

const pathOf = (entry: string): string => entry.slice(entry.indexOf("\t") + 1);
const lines = (paths: readonly string[], encoding: "utf8" | "latin1" = "utf8"): Buffer =>
  Buffer.from(paths.map((path) => `${path}\0`).join(""), encoding);

export async function takeTree(git: GitStore, index: string, source: TreeSource): Promise<TakenTree> {
  const { top, scope, workTree = top, enter, hostPath, isWanted = () => true, also = [] } = source;
  const run: GitRun = { index, workTree, enter };
  const within = scope === "" ? [] : ["--", scope];
  const args = ["ls-files", "-z", "-t", "--modified", "--deleted", "--others", "--exclude-standard", ...within];
  const answer = await git.ask(args, run);
  const isGone = /^fatal: cannot change to /.test(answer.stderr);
  if (answer.exitCode !== 0 && !isGone) throw new GitFailed(args, answer);
  const listed = zeroFields(answer.stdout).map((field) => ({ tag: field[0], path: field.slice(2) }));
  const nested = listed.filter(({ path }) => path.endsWith("/")).map(({ path }) => path.slice(0, -1));
  // Git reports a file as changed if a folder has replaced it, or a link its folder.
  const isGoneFile = ({ tag, path }: { tag: string | undefined; path: string }): boolean =>
    tag === "R" || (tag === "C" && isNotFile(hostPath(path)));
  const gone = new Set(listed.filter(isGoneFile).map(({ path }) => path));
  const there = also.filter((path) => isFileOrLink(lstatOf(hostPath(path))) && !isBehindLink(hostPath(path)));
  const paths = [...new Set([...listed.map(({ path }) => path), ...there])].filter(
    (path) => !path.endsWith("/") && isWanted(path, gone.has(path)),
  );
  const leftOut: LeftOut[] = [];
  const taken = paths.filter((path) => {
    const why = leftOutReason(path, gone.has(path) ? undefined : hostPath(path));
    if (why) leftOut.push({ path, why });
    return !why;
  });
  // Removals are separate and come first: git checks the disk before it removes a file, and refuses if a link has
  // replaced its folder.
  const removed = taken.filter((path) => gone.has(path));
  if (removed.length > 0) await update(git, run, ["--force-remove"], removed);
  const present = taken.filter((path) => !gone.has(path));
  if (present.length > 0) await update(git, run, ["--add", "--remove", "--replace"], present);
  const tree = (await git.run(["write-tree"], { index })).toString("utf8").trim();
  return { tree, nested, leftOut, isGone };
}

/**
 * If a file is written or removed while git reads it, git changes nothing: the next attempt finds the file complete.
 */
async function update(git: GitStore, run: GitRun, how: readonly string[], paths: readonly string[]): Promise<void> {
  const args = ["update-index", "-z", ...how, "--stdin"];
  for (let tries = 1; ; tries++) {
    const answer = await git.ask(args, { ...run, stdin: lines(paths) });
    if (answer.exitCode === 0) return;
    if (tries === MOST_TRIES || !answer.stderr.includes("Unable to process path")) throw new GitFailed(args, answer);
  }
}

function isNotFile(file: string): boolean {
  const stat = lstatOf(file);
  return stat !== undefined && (stat.isDirectory() || isBehindLink(file));
}

const isFileOrLink = (stat: Stats | undefined): boolean =>
  stat !== undefined && (stat.isFile() || stat.isSymbolicLink());

/** `file`: its location, unless it is gone. */
function leftOutReason(path: string, file: string | undefined): LeftOutReason | undefined {
  if (isBadName(path)) return "name";
  const stat = file === undefined ? undefined : lstatOf(file);
  if (!stat) return undefined;
  if (stat.isFile() && isTooLarge(stat)) return "large";
  if (!isFileOrLink(stat) && !stat.isDirectory()) return "special";
  return canRead(file!, stat) ? undefined : "unreadable";
}

export const isTooLarge = ({ size }: { readonly size: number }): boolean => size > MOST_BYTES;

/** Bytes that are not UTF-8 were replaced when the name was read. */
export const isBadName = (path: string): boolean => path.includes("\uFFFD");

/** Returns the paths that git ignores. */
export async function ignoredAmong(
  git: GitStore,
  index: string,
  { top, workTree = top, enter }: TreeSource,
  paths: readonly string[],
): Promise<string[]> {
  const args = ["check-ignore", "-z", "--stdin"];
  // A name that begins with a colon would be a pattern.
  const stdin = lines(paths.map((path) => `./${path}`));
  const answer = await git.ask(args, { index, workTree, enter, stdin, hasPatterns: true });
  if (answer.exitCode > 1) throw new GitFailed(args, answer);
  return zeroFields(answer.stdout).map((path) => path.slice(2));
}

/** Ignored folders that contain repositories, directly or one level below; relative to `top`. */
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

/** A path that differs, and what it is on both sides. */
export interface TreeDifference {
  readonly path: string;
  readonly before: TreeEntry | undefined;
  readonly after: TreeEntry | undefined;
}
export interface TreeEntry {
  readonly mode: string;
  readonly object: string;
}

/** Leaves out nested repositories, which have their own trees. */
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

/** Contents of objects, in one batch. */
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
