// Where a path really is, asked of any environment.

import { basename, dirname, join, relative, resolve } from "node:path/posix";
import { linkLoop } from "./fs-error.ts";
import type { ExecutionEnvironment } from "./types.ts";

/** Number of links after which a chain is treated as a loop. */
const MOST_HOPS = 40;

/** The nearest existing ancestor decides for a path that does not exist yet, also behind a link that leads nowhere. */
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

/** Where something stands, itself being followed no further when it is a link. */
export async function realEntryOf(env: Pick<ExecutionEnvironment, "stat">, path: string): Promise<string> {
  return join(await realPathOf(env, dirname(path)), basename(path));
}
