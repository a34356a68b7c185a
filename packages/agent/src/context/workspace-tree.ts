// The files of a project as a short tree, for child agents, so that they begin with an overview (SA-02).

import { abortAfter } from "../base/time/abort-after.ts";
import type { ExecutionEnvironment } from "../world/env/types.ts";
import type { Surroundings } from "./surroundings.ts";

const DEPTH = 2;
const MOST_ROWS = 100;
const MOST_FILES = 10_000;
/** If walking the tree takes longer, we show what we have. */
const MOST_MS = 1_000;
const END = "</environment>";

/** Adds the tree to the environment block of the surroundings. */
export async function withTree(found: Surroundings, env: ExecutionEnvironment): Promise<Surroundings> {
  const rows = await treeRows(env);
  if (rows.length === 0 || !found.environment.endsWith(END)) return found;
  const lines = [`${found.environment.slice(0, -END.length)}Files:`, ...rows.map((row) => `  ${row}`), END];
  return { ...found, environment: lines.join("\n") };
}

/** The tree without ignored files, as deep as there is room for. */
async function treeRows(env: ExecutionEnvironment): Promise<readonly string[]> {
  const options = {
    gitignore: true,
    hidden: false,
    maxResults: MOST_FILES,
    cached: true,
    enough: abortAfter(MOST_MS),
  };
  // An agent can work without the tree.
  const found = await env.glob("**/*", env.workingDirectory(), options).catch(() => undefined);
  const counts = new Map<string, number>();
  // A file name must not look like a part of the block.
  for (const path of found?.paths.filter((one) => !/[\p{Cc}<>]/u.test(one)) ?? []) {
    const parts = path.split("/");
    for (let depth = 1; depth <= Math.min(DEPTH, parts.length); depth++) {
      const name = parts.slice(0, depth).join("/") + (depth < parts.length ? "/" : "");
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  const all = [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
  const isTop = (name: string): boolean => !name.slice(0, -1).includes("/");
  const fitting = [all, all.filter(([name]) => isTop(name) || name.endsWith("/"))].find(fits);
  const shown = fitting ?? all.filter(([name]) => isTop(name));
  const rows = shown.slice(0, MOST_ROWS).map(([name, count]) => {
    const own = name.replace(/^.*\/(?=.)/, "");
    return `${isTop(name) ? "" : "  "}${own}${name.endsWith("/") ? ` (${count})` : ""}`;
  });
  const left = shown.length - rows.length;
  const hasMore = left > 0 || found?.truncated === true;
  return hasMore ? [...rows, left > 0 ? `[${left} more]` : "[there are more files]"] : rows;
}

const fits = (rows: readonly unknown[]): boolean => rows.length <= MOST_ROWS;
