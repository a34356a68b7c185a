// Which parts of repositories commands may change. Git must work inside the sandbox, but the files that make it run
// programs (hooks, configuration, and files that say where these are) also take effect outside, when the user runs git;
// commands may not change those.

import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isInside } from "../is-inside.ts";

/** A file or folder that is a separate mount: it can be neither renamed nor replaced. */
export interface GitMount {
  readonly path: string;
  readonly isWritable: boolean;
  /** Whether to create a folder or a file if it is missing. */
  readonly isFolder?: boolean;
}

/** Git creates temporary files next to these and renames them, so their folder must stay writable. */
export const FIXED_PARTS = ["config", "config.worktree", "commondir", "hooks", "info", "modules", "worktrees"];
const LINKED_PARTS = ["commondir", "gitdir", "config.worktree"];
const FOLDERS = new Set(["hooks", "info", "modules", "worktrees"]);
/** A repository that names itself as its common directory behaves like one that names none. */
const OWN_COMMONDIR = ".\n";

const DEEPEST_MODULE = 4;
/** Each costs several mounts per command; further repositories become read-only as a whole. */
const MOST_NESTED = 8;

/**
 * The mounts that protect the repository around a directory and those inside it, outermost first. Call this before the
 * first command runs: a command could write a `.git` that points anywhere.
 */
export function gitMounts(directory: string, nested: readonly string[] = []): GitMount[] {
  const dotGit = nearest(directory);
  const own = dotGit === undefined ? [] : ownMounts(dotGit);
  const others = nested.filter((path) => path !== dotGit && !own.some((mount) => isInside(path, mount.path)));
  return [
    ...own,
    ...(dotGit === undefined ? [] : namedFiles(dirname(dotGit), own)),
    ...others.flatMap((path, index) =>
      index < MOST_NESTED && isDirectory(path) && path.endsWith("/.git") ? mountsOf(path) : [readOnly(path)],
    ),
  ];
}

/**
 * Creates missing files and folders and returns them: otherwise a command could create them, and a mount needs a mount
 * point. If we may not create something here, neither may a command.
 */
export function makePlaceholders(mounts: readonly GitMount[]): string[] {
  return mounts.filter((mount) => !mount.isWritable && makeMissing(mount)).map(({ path }) => path);
}

export function isPlaceholder(path: string): boolean {
  return ["", OWN_COMMONDIR].includes(readText(path) ?? "other");
}

function ownMounts(dotGit: string): GitMount[] {
  const kind = lstatSync(dotGit);
  if (kind.isDirectory()) return mountsOf(realpathSync(dotGit));
  if (!kind.isFile()) return [readOnly(dirname(dotGit))];
  const target = linkedDirectory(dotGit);
  if (target === undefined) return [readOnly(dotGit)];
  const common = readOneLine(join(target, "commondir"));
  const main = common === undefined ? undefined : realpathSync(resolve(target, common));
  const isLinked = main !== undefined && main !== target;
  return [readOnly(dotGit), ...(isLinked ? mountsOf(main) : []), ...mountsOf(target, isLinked)];
}

/**
 * Files and folders of the work tree that the configuration names: hooks, included settings, programs. Git outside the
 * sandbox runs them.
 */
function namedFiles(workTree: string, own: readonly GitMount[]): GitMount[] {
  const files = new Map<string, GitMount>();
  for (const config of own.filter(({ path }) => /\/config(?:\.worktree)?$/.test(path)))
    for (const line of (readText(config.path) ?? "").split("\n")) {
      const [, key = "", value = ""] = /^\s*(?:\[[^\]]*\]\s*)*([a-z][a-z\d-]*)\s*=\s*(.*)$/i.exec(line) ?? [];
      const isFolder = /^hookspath$/i.test(key);
      const base = /^path$/i.test(key) ? dirname(config.path) : workTree;
      for (const word of value.split(/[\s;|&"'()<>=!]+/).filter((one) => isFolder || /[./]/.test(one))) {
        const path = resolve(base, word);
        const isNamed = isFolder || /^path$/i.test(key) || existsSync(path);
        const isOurs = isInside(path, workTree) && path !== workTree && !isInside(path, join(workTree, ".git"));
        if (word !== "" && isNamed && isOurs && isPlainPlace(path)) files.set(path, { ...readOnly(path), isFolder });
      }
    }
  return [...files.values()];
}

/** Nothing can be mounted on a link, or if the folder is missing. */
const isPlainPlace = (path: string): boolean =>
  isDirectory(dirname(path)) && !lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();

function nearest(directory: string): string | undefined {
  const dotGit = join(directory, ".git");
  if (lstatSync(dotGit, { throwIfNoEntry: false })) return dotGit;
  const parent = dirname(directory);
  return parent === directory ? undefined : nearest(parent);
}

/** The target of a `.git` file, if the folder there confirms that this is its work tree. */
function linkedDirectory(dotGit: string): string | undefined {
  const [, path] = /^gitdir: (.+)$/.exec(readOneLine(dotGit) ?? "") ?? [];
  if (path === undefined) return undefined;
  const target = resolve(dirname(dotGit), path);
  if (!existsSync(join(target, "HEAD"))) return undefined;
  const real = realpathSync(target);
  const back = readOneLine(join(real, "gitdir"));
  if (back !== undefined) return samePlace(resolve(real, back), dotGit) ? real : undefined;
  const [, tree] = /^\s*worktree\s*=\s*(.+)$/m.exec(readText(join(real, "config")) ?? "") ?? [];
  return tree !== undefined && samePlace(resolve(real, tree), dirname(dotGit)) ? real : undefined;
}

/** `isLinked`: for a linked work tree, whose hooks and configuration are those of the main repository. */
function mountsOf(directory: string, isLinked = false): GitMount[] {
  const parts = (isLinked ? LINKED_PARTS : FIXED_PARTS).map((name) => join(directory, name));
  // A link can be replaced, and nothing can be mounted on it, so the whole repository becomes read-only.
  if (parts.some((path) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())) return [readOnly(directory)];
  const submodules = isLinked ? [] : modules(join(directory, "modules"), DEEPEST_MODULE).slice(0, MOST_NESTED);
  return [
    { path: directory, isWritable: true },
    ...parts.map(readOnly),
    ...submodules.flatMap((module) => mountsOf(module)),
  ];
}

const readOnly = (path: string): GitMount => ({ path, isWritable: false });

function makeMissing({ path, isFolder }: GitMount): boolean {
  // A killed session has left its own file.
  if (lstatSync(path, { throwIfNoEntry: false })) return readText(path) === OWN_COMMONDIR;
  const name = path.slice(path.lastIndexOf("/") + 1);
  try {
    if (isFolder ?? FOLDERS.has(name)) mkdirSync(path);
    else writeFileSync(path, name === "commondir" ? OWN_COMMONDIR : "", { flag: "wx" });
    return true;
  } catch {
    return false; // a repository of another user, or one that was deleted
  }
}

function modules(directory: string, depth: number): string[] {
  if (depth === 0 || !isDirectory(directory)) return [];
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(directory, name))
    .flatMap((module) => (existsSync(join(module, "HEAD")) ? [module] : modules(module, depth - 1)));
}

const isDirectory = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

function samePlace(a: string, b: string): boolean {
  return existsSync(a) && existsSync(b) && realpathSync(a) === realpathSync(b);
}

const readOneLine = (path: string): string | undefined => readText(path)?.split("\n")[0]?.trim();

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined; // missing or not readable, so it tells nothing
  }
}
