// Where the links in a folder lead: a command that follows them reads or writes there.

import { posix } from "node:path";
import { isCredentialFile, isInside } from "../../../policy/permissions/sensitive-paths.ts";
import { programSteeredBy } from "../../../policy/shell/protected-files.ts";
import { beginsWithDash } from "../../../policy/shell/steering-names.ts";
import { type DirEntry, EnvError, type ExecutionEnvironment, type FileStat } from "../../../world/env/types.ts";

/** A name that commands may take for an option, or a file that makes programs run later. */
const isSteering = (path: string): boolean =>
  beginsWithDash(posix.basename(path)) || programSteeredBy(path) !== undefined;

/** The user waits for the question, so a large tree is not searched to its end. */
const MOST = 5000;

interface Walk {
  /** The named path may be a link itself, and names that steer other programs count too. */
  readonly isCopied?: boolean;
  /** Links to folders are entered; files with keys that are reached through them, outside the folder, count too. */
  readonly isFollowed?: boolean;
}

/** Undefined if there are too many files. */
export async function linksInside(
  folder: string,
  env: ExecutionEnvironment,
  { isCopied = false, isFollowed = false }: Walk,
): Promise<readonly FileStat[] | undefined> {
  const root = await env.stat(folder);
  if (root === undefined) return [];
  if (isCopied && root.isSymlink) return [root];
  const places = { userHome: env.home ?? "/", latheHome: "/" };
  const holdsKeys = ({ kind, realPath }: FileStat): boolean =>
    isFollowed && kind === "file" && !isInside(realPath, root.realPath) && isCredentialFile(realPath, places);
  const links: FileStat[] = [];
  const open = root.kind === "directory" ? [root.realPath] : [];
  const entered = new Set(open);
  let looked = 0;
  for (let inside = open.pop(); inside !== undefined; inside = open.pop()) {
    const entries = await listOf(inside, env);
    looked += entries.length;
    if (looked > MOST) return undefined;
    const paths = entries.map(({ name }) => posix.join(inside as string, name));
    for (const [index, stat] of (await Promise.all(paths.map((path) => env.stat(path)))).entries()) {
      if (!stat) continue;
      if (stat.isSymlink || (isCopied && isSteering(paths[index]!)) || holdsKeys(stat)) links.push(stat);
      if (stat.kind !== "directory" || entered.has(stat.realPath)) continue;
      if (stat.isSymlink ? !isFollowed : links.at(-1) === stat) continue;
      entered.add(stat.realPath);
      open.push(stat.realPath);
    }
  }
  return links;
}

/** Empty if we may not list it: commands run as the same user, so they find nothing in it either. */
export async function listOf(folder: string, env: ExecutionEnvironment): Promise<readonly DirEntry[]> {
  try {
    return await env.listDirectory(folder, 1);
  } catch (error) {
    if (error instanceof EnvError && error.code === "permission_denied") return [];
    throw error;
  }
}
