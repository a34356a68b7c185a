// Finds every repository that git may enter for a session in a folder, including submodules, and what in them makes git
// start a program.

import { posix } from "node:path";
import type { ExecutionEnvironment } from "../../../world/env/types.ts";
import { GITLINK, pathsIn } from "./git-index.ts";
import { programSetting } from "./git-settings.ts";

interface Repository {
  /** Undefined if the file that names it is not understood. */
  readonly gitFolder: string | undefined;
  /** Undefined for a bare repository. */
  readonly workTree?: string | undefined;
}

/** One search, so that no repository is examined twice and their number is limited. */
interface Look {
  readonly env: ExecutionEnvironment;
  readonly seen: Set<string>;
  /** The outermost work tree. */
  readonly top: string;
}

const MOST_FOLDERS = 300;
const LARGEST_TEXT = 200_000;
const LARGEST_INDEX = 100_000_000;

/** Why git is not harmless in the repository around `folder`: something there may start a program. */
export async function gitSteering(folder: string, env: ExecutionEnvironment): Promise<string | undefined> {
  try {
    for await (const repository of repositoriesAround(folder, env)) {
      const found = await steeringIn(repository, { env, seen: new Set(), top: repository.workTree ?? folder });
      if (found !== undefined) return found;
    }
    return undefined;
  } catch {
    // Git may be able to read what we cannot.
    return "a git file that cannot be read";
  }
}

/**
 * For a repository that the user trusts: a setting that names a program or further settings inside the project, where
 * edits need no approval.
 */
export async function gitProgramInside(folder: string, env: ExecutionEnvironment): Promise<string | undefined> {
  for await (const { gitFolder } of repositoriesAround(folder, env)) {
    if (gitFolder === undefined) continue;
    const shared = (await sharedFolder(gitFolder, env)) ?? gitFolder;
    for (const place of new Set([gitFolder, shared]))
      for (const name of ["config", "config.worktree"]) {
        const text = (await textOf(posix.join(place, name), env)) ?? "";
        const setting = text === TOO_LARGE ? name : programSetting(text, undefined, true);
        if (setting !== undefined) return `git's setting ${setting}`;
      }
  }
  return undefined;
}

/** Whether `git rebase --continue` would run commands here. They are in a file that may have come with the folder. */
export async function hasPreparedCommands(folder: string, env: ExecutionEnvironment): Promise<boolean> {
  for await (const { gitFolder } of repositoriesAround(folder, env)) {
    if (gitFolder === undefined) return true;
    const steps = await textOf(posix.join(gitFolder, "rebase-merge/git-rebase-todo"), env);
    if (steps === TOO_LARGE || /^[ \t]*(?:x|exec)[ \t]/m.test(steps ?? "")) return true;
  }
  return false;
}

/** The paths that git lists here, including missing files. Undefined if we cannot tell. */
export async function listedByGit(folder: string, env: ExecutionEnvironment): Promise<readonly string[] | undefined> {
  const all: string[] = [];
  for await (const { gitFolder } of repositoriesAround(folder, env)) {
    const paths = gitFolder === undefined ? undefined : await indexedPaths(gitFolder, env);
    if (paths === undefined) return undefined;
    for (const path of paths) all.push(path);
  }
  return all;
}

/**
 * Goes from the folder upwards, as git does. Repositories that git may reject and skip come before the one that it
 * uses.
 */
async function* repositoriesAround(folder: string, env: ExecutionEnvironment): AsyncGenerator<Repository> {
  for (let at = (await env.stat(folder))?.realPath ?? folder; ; at = posix.dirname(at)) {
    for (const found of [await repositoryAt(at, env), await bareAt(at, env)]) {
      if (!found) continue;
      yield found;
      if (found.gitFolder !== undefined && (await isSurelyFit(found.gitFolder, env))) return;
    }
    if (posix.dirname(at) === at) return;
  }
}

async function repositoryAt(folder: string, env: ExecutionEnvironment): Promise<Repository | undefined> {
  const path = posix.join(folder, ".git");
  const kind = (await env.stat(path))?.kind;
  if (kind === "directory") return { gitFolder: path, workTree: folder };
  if (kind !== "file") return undefined;
  const text = (await textOf(path, env)) ?? "";
  const gitFolder = text.startsWith("gitdir: ") ? pathFrom(folder, text.slice(8)) : undefined;
  return { gitFolder, workTree: folder };
}

/** The folder may itself be a bare repository. */
async function bareAt(folder: string, env: ExecutionEnvironment): Promise<Repository | undefined> {
  const [head, ...rest] = await Promise.all(
    ["HEAD", "objects", "commondir"].map((name) => env.stat(posix.join(folder, name))),
  );
  return head && rest.some(Boolean) ? { gitFolder: folder } : undefined;
}

/** True if git uses this repository and looks no further. */
async function isSurelyFit(gitFolder: string, env: ExecutionEnvironment): Promise<boolean> {
  const shared = await sharedFolder(gitFolder, env);
  if (shared === undefined) return false;
  for (const name of ["objects", "refs"])
    if ((await env.stat(posix.join(shared, name)))?.kind !== "directory") return false;
  const head = posix.join(gitFolder, "HEAD");
  if ((await env.stat(head))?.isSymlink !== false) return false;
  return /^(?:ref: refs\/[^\s\p{Cc}]{1,200}|[\da-f]{40})\n?$/u.test((await textOf(head, env)) ?? "");
}

/** The folder that a worktree shares with the others. Undefined if we cannot tell which it is. */
async function sharedFolder(gitFolder: string, env: ExecutionEnvironment): Promise<string | undefined> {
  const text = await textOf(posix.join(gitFolder, "commondir"), env);
  if (text === undefined) return gitFolder;
  return pathFrom((await env.stat(gitFolder))?.realPath ?? gitFolder, text);
}

/** Resolves a path from one of git's files. Undefined if links could lead somewhere else than the text says. */
function pathFrom(folder: string, text: string): string | undefined {
  const path = text.replace(/[\r\n]+$/, "");
  const isPlain =
    path !== "" && !/[\p{Cc}\uFFFD]/u.test(path) && !/(?:^|\/)(?!\.\.?\/)[^/]+\/(?:.*\/)?\.\.(?:\/|$)/.test(path);
  return isPlain ? posix.resolve(folder, path) : undefined;
}

async function steeringIn({ gitFolder, workTree }: Repository, look: Look): Promise<string | undefined> {
  const { env, seen, top } = look;
  if (gitFolder === undefined) return "git's file .git";
  const stat = await env.stat(gitFolder);
  if (stat?.kind !== "directory" || seen.has(stat.realPath)) return undefined;
  const own = stat.realPath;
  if (seen.size >= MOST_FOLDERS) return "a repository with too many others inside";
  const isInner = seen.size > 0;
  seen.add(own);
  const shared = await sharedFolder(own, env);
  if (shared === undefined) return "git's file commondir";
  const isWorkTree = (path: string) => isInner && pathFrom(own, path)?.startsWith(`${top}/`) === true;
  for (const place of new Set([own, shared])) {
    for (const name of ["config", "config.worktree"]) {
      const setting = programSetting((await textOf(posix.join(place, name), env)) ?? "", isWorkTree);
      if (setting !== undefined) return `git's setting ${setting}`;
    }
    // The only hook that read-only commands run: they refresh the index.
    if (await env.stat(posix.join(place, "hooks/post-index-change"))) return "git's hook post-index-change";
    const inModules = await steeringInModules(posix.join(place, "modules"), look);
    if (inModules !== undefined) return inModules;
  }
  return workTree === undefined ? undefined : steeringInLinked(own, workTree, look);
}

/** Repositories of submodules, whatever their names. Nested submodules are found with them. */
async function steeringInModules(folder: string, look: Look): Promise<string | undefined> {
  const { env, seen } = look;
  if ((await env.stat(folder))?.kind !== "directory") return undefined;
  const entries = await env.listDirectory(folder, 1);
  if (entries.some(({ name, isDir }) => !isDir && /^(?:HEAD|config)$/i.test(name)))
    return steeringIn({ gitFolder: folder }, look);
  for (const { name } of entries.filter(({ isDir }) => isDir)) {
    const path = posix.join(folder, name);
    seen.add(`${path}/`);
    const found =
      seen.size > MOST_FOLDERS ? "a repository with too many others inside" : await steeringInModules(path, look);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Repositories in the work tree whose commits the index names: git enters them, wherever they keep their files. */
async function steeringInLinked(gitFolder: string, workTree: string, look: Look): Promise<string | undefined> {
  const { env } = look;
  const links = await indexedPaths(gitFolder, env, GITLINK);
  if (links === undefined || links.length > MOST_FOLDERS) return "git's index";
  for (const link of links) {
    const inner = posix.join(workTree, link);
    const folder = (await env.stat(inner))?.realPath ?? inner;
    const repository = await repositoryAt(folder, env);
    const found = repository && (await steeringIn(repository, look));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** See `pathsIn`. */
async function indexedPaths(
  gitFolder: string,
  env: ExecutionEnvironment,
  wanted?: number,
): Promise<readonly string[] | undefined> {
  const path = posix.join(gitFolder, "index");
  const stat = await env.stat(path);
  if (stat === undefined) return [];
  if (stat.kind !== "file" || stat.size > LARGEST_INDEX) return undefined;
  const index = Buffer.from(await env.readBytes(path));
  // A split index keeps a part in another file; the extension for that is called `link`.
  const entries = index.includes("link") ? await env.listDirectory(gitFolder, 1) : [];
  return entries.some(({ name }) => /^sharedindex\./i.test(name)) ? undefined : pathsIn(index, wanted);
}

/** Stands for a file that is too large; not valid in git's settings or paths. */
const TOO_LARGE = "\0";

/** Undefined if there is no such file. A file that is not regular or too large to read counts as not understood. */
async function textOf(path: string, env: ExecutionEnvironment): Promise<string | undefined> {
  const stat = await env.stat(path);
  if (stat === undefined || stat.kind === "dangling") return undefined;
  if (stat.kind !== "file" || stat.size > LARGEST_TEXT) return TOO_LARGE;
  return Buffer.from(await env.readBytes(path)).toString("utf8");
}
