// A sorted walk over the files of a tree that ripgrep would search, for engines without it.

import { join } from "node:path/posix";
import type { WalkOptions } from "../types.ts";
import { type Ignores, ignoresAbove, ignoresOf, isIgnored } from "./ignores.ts";
import type { SearchFs } from "./search-fs.ts";

/** Absolute paths of files under `root`, without `.git`; hidden and ignored ones on request. */
export async function* walkFiles(fs: SearchFs, root: string, options: WalkOptions): AsyncGenerator<string> {
  yield* walk(
    fs,
    root,
    options.hidden ?? false,
    options.gitignore === false ? undefined : await ignoresAbove(fs, root),
  );
}

async function* walk(
  fs: SearchFs,
  directory: string,
  hidden: boolean,
  above: Ignores | undefined,
): AsyncGenerator<string> {
  const entries = [...(await fs.entries(directory))];
  const ignores = above && (await ignoresOf(fs, directory, entries, above));
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    if (entry.name === ".git" || (!hidden && entry.name.startsWith("."))) continue;
    const path = join(directory, entry.name);
    if (ignores && isIgnored(ignores, path, entry.kind === "directory")) continue;
    if (entry.kind === "directory") yield* walk(fs, path, hidden, ignores);
    else yield path;
  }
}
