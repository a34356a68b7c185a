// Resolves a path to its real location, in any environment.

import { basename, dirname, join, relative, resolve } from "node:path/posix";
import { linkLoop } from "./fs-error.ts";
import type { ExecutionEnvironment } from "./types.ts";

/** Number of links after which a chain is treated as a loop. */
const MOST_HOPS = 40;

/** For a path that does not exist yet, the nearest existing ancestor decides, even behind a dangling link. */
export async function realPathOf(
  env: Pick<ExecutionEnvironment, "stat">,
  path: string,
  hops = MOST_HOPS,
): Promise<string> {
  const stat = await env.stat(path);
  if (stat !== undefined && stat.kind !== "dangling") return stat.realPath;
  if (stat !== undefined) {
    if (hops === 0 || stat.realPath === path) throw linkLoop(path);
    return realPathOf(env, stat.realPath, hops - 1);
  }
  const parent = dirname(path);
  return parent === path ? path : resolve(await realPathOf(env, parent, hops), relative(parent, path));
}

/** The real location of an entry, without following the entry itself if it is a link. */
export async function realEntryOf(env: Pick<ExecutionEnvironment, "stat">, path: string): Promise<string> {
  return join(await realPathOf(env, dirname(path)), basename(path));
}
