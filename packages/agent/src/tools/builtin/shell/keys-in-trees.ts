// The files with keys in folders that a command reads as a whole. Nothing in its words names them.

import { posix } from "node:path";
import type { ShellPart, TreeKey, TreeReading } from "../../../contract/shell.ts";
import { alternatives, fitsName } from "../../../policy/permissions/credential-globs.ts";
import { isCredentialFile, isInside } from "../../../policy/permissions/sensitive-paths.ts";
import type { ExecutionEnvironment } from "../../../world/env/types.ts";
import { expandGlob } from "./expand-globs.ts";
import { listOf } from "./links-inside.ts";

/** The user waits for the question, so a large tree is not searched to its end. */
const MOST_ENTRIES = 20_000;
/** Headers of installed packages: tens of thousands of files without keys. */
const HEADERS = "/usr/include";
/** Each of them leads to the same question. */
const MOST_KEYS = 100;

/** A search through the session's own folder needs no question, so that folder is not looked through for one. */
export async function keysInTrees(
  { trees, readsTrees, isHarmless, cwd }: ShellPart,
  start: string,
  env: ExecutionEnvironment,
): Promise<Pick<ShellPart, "treeKeys">> {
  if (!isHarmless || !readsTrees) return {};
  const from = cwd ?? start;
  const placed = await Promise.all(trees.map((tree) => placesOf(tree, from, env)));
  const own = await realFolder(env.workingDirectory(), env);
  const all = placed.flatMap((found) => found ?? []);
  if (readsTrees.how === "compare outside the repository" && (await areInRepository(all, from, env))) return {};
  const skipped = readsTrees.how === "search" ? own : undefined;
  const treeKeys: TreeKey[] = [];
  for (const [index, found] of placed.entries()) {
    const tree = trees[index] as string;
    if (!found) treeKeys.push({ tree, path: posix.resolve(from, tree), isUncertain: true });
    for (const path of found ?? []) treeKeys.push(...(await keysBelow(path, tree, readsTrees, skipped, env)));
  }
  return treeKeys.length > 0 ? { treeKeys } : {};
}

/** The folders that the word means, as real paths; undefined if that is not clear. */
async function placesOf(tree: string, from: string, env: ExecutionEnvironment): Promise<readonly string[] | undefined> {
  const absolute = posix.resolve(from, env.home ? tree.replace(/^~(?=\/|$)/, env.home) : tree);
  const meant = /[*?[{]/.test(tree) ? await expandGlob(absolute, env) : [absolute];
  const found = meant && (await Promise.all(meant.map((path) => realFolder(path, env))));
  return found?.filter((path) => path !== undefined);
}

async function realFolder(path: string, env: ExecutionEnvironment): Promise<string | undefined> {
  const stat = await env.stat(path);
  return stat?.kind === "directory" ? stat.realPath : undefined;
}

/** Git then compares tracked files only. */
async function areInRepository(folders: readonly string[], from: string, env: ExecutionEnvironment): Promise<boolean> {
  for (let at = (await realFolder(from, env)) ?? from; ; at = posix.dirname(at)) {
    if ((await env.stat(posix.join(at, ".git"))) !== undefined) return folders.every((one) => isInside(one, at));
    if (at === posix.dirname(at)) return false;
  }
}

async function keysBelow(
  root: string,
  tree: string,
  { only, without, depth = Number.POSITIVE_INFINITY }: TreeReading,
  skipped: string | undefined,
  env: ExecutionEnvironment,
): Promise<TreeKey[]> {
  const places = { userHome: env.home ?? "/", latheHome: "/" };
  const globs = only?.flatMap(alternatives);
  const isRead = (name: string): boolean =>
    !without?.files.includes(name) && (!globs || globs.some((glob) => fitsName(glob, name, "hidden too")));
  const keys: TreeKey[] = [];
  let open = [skipped, HEADERS].some((folder) => folder !== undefined && isInside(root, folder)) ? [] : [root];
  let looked = 0;
  // Level by level: most files with keys are near the top.
  for (let level = 0; level < depth && open.length > 0; level++) {
    const below: string[] = [];
    for (const folder of open) {
      const entries = await listOf(folder, env);
      looked += entries.length;
      if (looked > MOST_ENTRIES || keys.length > MOST_KEYS) return [...keys, { tree, path: root, isUncertain: true }];
      for (const { name, isDir, isLink } of entries) {
        const path = posix.join(folder, name);
        // Links are judged by their targets, see links-inside.ts.
        if (isLink) continue;
        if (isDir && path !== skipped && !without?.folders.includes(name)) below.push(path);
        else if (!isDir && isRead(name) && isCredentialFile(path, places)) keys.push({ tree, path });
      }
    }
    open = below;
  }
  return keys;
}
