// "Did you mean": suggests names close to one that does not exist.

import { posix } from "node:path";
import type { ExecutionEnvironment } from "../../world/env/types.ts";
import { similarWords } from "./similar-words.ts";

const MOST = 3;

/** Up to three paths close to a missing one: siblings with a similar name, or the same name in a subfolder. */
export async function similarPaths(env: ExecutionEnvironment, path: string): Promise<string[]> {
  const wanted = posix.basename(path);
  const folder = posix.dirname(env.resolve(path));
  const stat = await env.stat(folder);
  if (stat?.kind === "directory") {
    const names = (await env.listDirectory(folder, 1)).map((entry) => entry.name);
    const close = similarWords(wanted, names).slice(0, MOST);
    if (close.length > 0) return close.map((name) => posix.join(posix.dirname(path), name));
  }
  const sameNames = await env.glob(`**/${wanted.replace(/[*?[\]{}\\]/g, "\\$&")}`, ".", { maxResults: MOST });
  return [...sameNames.paths];
}
