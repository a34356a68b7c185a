// Where the links in a folder lead: a command that follows them reads or writes there.

import { posix } from "node:path";
import type { ExecutionEnvironment, FileStat } from "../../../world/env/types.ts";

/** A person waits for the question, so a large tree is not searched to its end. */
const MOST = 5000;

/** Undefined when there are too many files to look at. A folder behind a link is not looked into. `itself`: what is named may be a link. */
export async function linksInside(
  folder: string,
  env: ExecutionEnvironment,
  itself = false,
): Promise<readonly FileStat[] | undefined> {
  const named = itself ? await env.stat(folder) : undefined;
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
      if (stat?.isSymlink) links.push(stat);
      else if (stat?.kind === "directory") open.push(paths[index]!);
    }
  }
  return links;
}
