// Finds what commands and users changed on disk while a server runs. Servers watch nothing themselves; we tell them.

import type { ExecutionEnvironment, FileStat } from "@lathe/agent/world";
import type { ServerRow } from "./server-row.ts";

/** `type` is the protocol's number: created, changed, deleted. */
export interface FileChange {
  readonly path: string;
  readonly type: 1 | 2 | 3;
}

const MOST_FILES = 5000;
/** Endings of configuration files, whatever the language. */
const ALWAYS = ["json", "toml"];

export class ProjectChanges {
  readonly #root: string;
  readonly #env: ExecutionEnvironment;
  readonly #pattern: string;
  #known: ReadonlySet<string> | undefined;
  #newest = 0;

  constructor(row: ServerRow, root: string, env: ExecutionEnvironment) {
    const endings = row.fileTypes.filter((type) => type.startsWith(".")).map((type) => type.slice(1));
    this.#pattern = `**/*.{${[...new Set([...endings, ...ALWAYS])].join(",")}}`;
    this.#root = root;
    this.#env = env;
  }

  /** Changes since the last check. The first check finds none, because the server reads the files as they are then. */
  async findChanges(): Promise<FileChange[]> {
    const listing = await this.#env.glob(this.#pattern, this.#root, { maxResults: MOST_FILES, base: "/" });
    const before = this.#known;
    // If the list is truncated, we know nothing about files that are not on it.
    const found = new Set(listing.paths.map((name) => (name.startsWith("/") ? name : `/${name}`)));
    this.#known = listing.truncated ? new Set() : found;
    const isComplete = before !== undefined && before.size > 0 && !listing.truncated;
    const changes = new Map<string, FileChange["type"]>();
    if (isComplete) {
      for (const path of found) if (!before.has(path)) changes.set(path, 1);
      for (const path of before) if (!found.has(path)) changes.set(path, 3);
    }
    let newest = this.#newest;
    // The newest files come first.
    for (const path of found) {
      const mtimeMs = (await this.#env.stat(path))?.mtimeMs ?? 0;
      if (mtimeMs < this.#newest || before === undefined) {
        newest = Math.max(newest, mtimeMs);
        break;
      }
      newest = Math.max(newest, mtimeMs);
      if (!changes.has(path)) changes.set(path, 2);
    }
    this.#newest = newest;
    return before === undefined ? [] : [...changes].map(([path, type]) => ({ path, type }));
  }
}

/** Differs if a file was written meanwhile. */
export const stampOf = (stat: FileStat | undefined): string => `${stat?.mtimeMs} ${stat?.size} ${stat?.kind}`;
