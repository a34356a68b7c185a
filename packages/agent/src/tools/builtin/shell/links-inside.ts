// Where the links in a folder lead: a command that follows them reads or writes there.

import { posix } from "node:path";
import { programSteeredBy } from "../../../policy/shell/protected-files.ts";
import { beginsWithDash } from "../../../policy/shell/steering-names.ts";
import type { ExecutionEnvironment, FileStat } from "../../../world/env/types.ts";

/** A name that commands may take for an option, or a file that makes programs run later. */
const isSteering = (path: string): boolean =>
  beginsWithDash(posix.basename(path)) || programSteeredBy(path) !== undefined;

/** The user waits for the question, so a large tree is not searched to its end. */
const MOST = 5000;

/**
 * Undefined if there are too many files. Does not follow links to folders. `isCopied`: the named path may be a link
 * itself, and names that steer other programs count too.
 */
export async function linksInside(
  folder: string,
  env: ExecutionEnvironment,
  isCopied = false,
): Promise<readonly FileStat[] | undefined> {
  const named = isCopied ? await env.stat(folder) : undefined;
  if (named?.isSymlink) return [named];
  const links: FileStat[] = [];
  const open = [folder];
  let looked = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const inside = next;
    if ((await env.stat(inside))?.kind !== "directory") continue;
    const entries = await env.listDirectory(inside, 1);
    looked += entries.length;
    if (looked > MOST) return undefined;
    const paths = entries.map(({ name }) => posix.join(inside, name));
    for (const [index, stat] of (await Promise.all(paths.map((path) => env.stat(path)))).entries()) {
      if (stat?.isSymlink || (stat && isCopied && isSteering(paths[index]!))) links.push(stat);
      else if (stat?.kind === "directory") open.push(paths[index]!);
    }
  }
  return links;
}
