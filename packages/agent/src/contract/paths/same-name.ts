// Paths that differ from one on disk only in how their characters are encoded: composed or decomposed, with plain or
// special spaces and quotes. Models type the plain form, and without this could never open such a file.

import { posix } from "node:path";
import { foldPunctuation } from "../../base/text/fold.ts";
import type { ExecutionEnvironment } from "../../world/env/types.ts";

/** The path with such names replaced by those on disk; undefined if there is no match, or several. */
export async function findSameNamed(
  env: Pick<ExecutionEnvironment, "stat" | "listDirectory">,
  absolute: string,
): Promise<string | undefined> {
  if (!/[^!-~]/.test(absolute)) return undefined;
  const parent = posix.dirname(absolute);
  if (parent === absolute) return undefined;
  const stat = await env.stat(parent);
  const folder = stat ? parent : await findSameNamed(env, parent);
  if (folder === undefined || (stat ?? (await env.stat(folder)))?.kind !== "directory") return undefined;
  const name = posix.basename(absolute);
  const wanted = plain(name);
  const same = (await env.listDirectory(folder, 1)).filter((entry) => plain(entry.name) === wanted);
  if (same.length === 1) return posix.join(folder, same[0]?.name as string);
  return same.length === 0 && folder !== parent ? posix.join(folder, name) : undefined;
}

function plain(name: string): string {
  return foldPunctuation(name.normalize());
}
