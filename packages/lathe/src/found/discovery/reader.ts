// Reads files for discovery and remembers the state of each path: results stay valid until one of them changes.
// Synchronous, because there are many small files, and waiting for each takes longer than reading it.

import { readdirSync, readFileSync, realpathSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";

/** A skill larger than this must be a mistake. */
const LARGEST_BYTES = 1 << 20;
/** Some agents keep their servers in one file with everything they remember. */
const LARGEST_CONFIGURATION = 1 << 24;

export interface Entry {
  readonly name: string;
  readonly path: string;
  readonly isFolder: boolean;
}

export class Reader {
  /** The state of each path when it was last checked. */
  readonly #seen = new Map<string, string>();
  readonly #texts = new Map<string, { readonly sign: string; readonly text: string }>();

  /** Undefined if there is no such file. Throws an error with a message for the user if the file cannot be read. */
  text(path: string): string | undefined {
    const stat = this.#stat(path);
    if (!stat?.isFile()) return undefined;
    const most = path.endsWith(".json") ? LARGEST_CONFIGURATION : LARGEST_BYTES;
    if (stat.size > most) throw new Error(`it is larger than ${most >> 20} MB and is ignored`);
    const sign = signOf(stat);
    const known = this.#texts.get(path);
    if (known?.sign === sign) return known.text;
    const text = readFileSync(path, "utf8");
    this.#texts.set(path, { sign, text });
    return text;
  }

  /** The entries sorted by name, without hidden ones. Empty if there is no such folder. */
  entries(folder: string): readonly Entry[] {
    if (!this.#stat(folder)?.isDirectory()) return [];
    return readdirSync(folder, { withFileTypes: true })
      .filter(({ name }) => !name.startsWith("."))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((entry) => {
        const path = join(folder, entry.name);
        if (!entry.isSymbolicLink()) return [{ name: entry.name, path, isFolder: entry.isDirectory() }];
        const stat = statOf(path);
        return stat ? [{ name: entry.name, path, isFolder: stat.isDirectory() }] : [];
      });
  }

  isFolder(path: string): boolean {
    return this.#stat(path)?.isDirectory() ?? false;
  }

  isFile(path: string): boolean {
    return this.#stat(path)?.isFile() ?? false;
  }

  /** The path after following links. */
  realPath(path: string): string {
    try {
      return realpathSync.native(path);
    } catch {
      return path; // the file is gone; its reader finds that out
    }
  }

  /** Whether anything that was checked has changed since. */
  get isStale(): boolean {
    for (const [path, sign] of this.#seen) if (signOf(statOf(path)) !== sign) return true;
    return false;
  }

  /** Call this before a new search; texts of unchanged files are kept. */
  begin(): void {
    this.#seen.clear();
  }

  #stat(path: string): Stats | undefined {
    const stat = statOf(path);
    this.#seen.set(path, signOf(stat));
    return stat;
  }
}

const signOf = (stat: Stats | undefined): string => (stat ? `${stat.mtimeMs} ${stat.size} ${stat.ino}` : "");

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // below a file, in a loop of links, or not accessible
  }
}
