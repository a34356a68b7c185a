// "Did you mean": names close to one that does not exist.

import { posix } from "node:path";
import type { ExecutionEnvironment } from "../env/types.ts";

const MOST = 3;

/** Up to three paths near a missing one: neighbours of a similar name, or the same name elsewhere below. */
export async function nearPaths(env: ExecutionEnvironment, path: string): Promise<string[]> {
  const wanted = posix.basename(path);
  const folder = posix.dirname(env.resolve(path));
  const stat = await env.stat(folder);
  if (stat?.kind === "directory") {
    const names = (await env.listDirectory(folder, 1)).map((entry) => entry.name);
    const close = closest(wanted, names);
    if (close.length > 0) return close.map((name) => posix.join(posix.dirname(path), name));
  }
  const elsewhere = await env.glob(`**/${wanted.replace(/[*?[\]{}\\]/g, "\\$&")}`, ".", { maxResults: MOST });
  return [...elsewhere.paths];
}

function closest(wanted: string, names: readonly string[]): string[] {
  const limit = Math.max(2, Math.floor(wanted.length / 3));
  return names
    .map((name) => ({ name, distance: editDistance(wanted.toLowerCase(), name.toLowerCase()) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, MOST)
    .map(({ name }) => name);
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitute = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min((previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1, substitute));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
