// Counts renames of other processes to a path while we rename, in the order that the kernel reports.

import { type FSWatcher, watch } from "node:fs";
import { basename, dirname } from "node:path";

export interface RenameWatch {
  /** How often another file was renamed to the target before ours was. */
  readonly beforeOurs: number;
  /** The same between our rename and the return of the old file. */
  readonly beforeReturn: number;
  /** Resolves when the kernel has reported our last rename, and so everything before it. */
  whenSettled(): Promise<void>;
  stop(): void;
}

export interface WatchedPaths {
  /** The file that exists already and will be renamed to `target`. */
  readonly temp: string;
  readonly target: string;
  /** A link to the old file, which may be renamed back to `target` afterwards. */
  readonly aside: string;
}

/** The system reports a rename within a millisecond or, on some file systems, not at all. */
const PATIENCE_MS = 50;

interface Folder {
  readonly watcher: FSWatcher;
  readonly listeners: Set<(name: string) => void>;
}

/** One watch per folder, however many files in it are being written. */
export class RenameWatches {
  readonly #folders = new Map<string, Folder>();

  /** Undefined if renames are not reported in order, or no more watches are available. */
  start(paths: WatchedPaths): RenameWatch | undefined {
    const path = dirname(paths.target);
    const folder = this.#folder(path);
    if (!folder) return undefined;
    const seen = new SeenRenames(paths);
    let tell = (): void => {};
    const listener = (name: string): void => {
      if (seen.take(name)) tell();
    };
    folder.listeners.add(listener);
    return {
      get beforeOurs() {
        return seen.beforeOurs;
      },
      get beforeReturn() {
        return seen.beforeReturn;
      },
      whenSettled: async () => {
        const next = new Promise<void>((resolve) => {
          tell = resolve;
        });
        // After the timer, so that events that arrived while this process was busy are processed, too.
        const timer = setTimeout(() => setImmediate(tell), PATIENCE_MS);
        await next;
        clearTimeout(timer);
      },
      stop: () => {
        folder.listeners.delete(listener);
        if (folder.listeners.size > 0) return;
        folder.watcher.close();
        this.#folders.delete(path);
      },
    };
  }

  #folder(path: string): Folder | undefined {
    const known = this.#folders.get(path);
    if (known || process.platform !== "linux") return known;
    const listeners: Folder["listeners"] = new Set();
    try {
      const watcher = watch(path, (type, name) => {
        if (type === "rename" && name !== null) for (const listener of listeners) listener(name);
      });
      // Nothing more is reported then, and the caller waits no longer than PATIENCE_MS.
      watcher.on("error", () => {});
      const folder = { watcher, listeners };
      this.#folders.set(path, folder);
      return folder;
    } catch {
      return undefined; // the system's limit of watches; the rename itself does not depend on it
    }
  }
}

/** The kernel reports a rename by the old name and then the new one, with nothing in between. */
class SeenRenames {
  beforeOurs = 0;
  beforeReturn = 0;
  readonly #temp: string;
  readonly #target: string;
  readonly #aside: string;
  #afterOurs = 0;
  #isOursDone = false;
  #last = "";

  constructor({ temp, target, aside }: WatchedPaths) {
    this.#temp = basename(temp);
    this.#target = basename(target);
    this.#aside = basename(aside);
  }

  /** True at the end of one of our renames. */
  take(name: string): boolean {
    const before = this.#last;
    this.#last = name;
    if (name !== this.#target) return false;
    if (before === this.#temp) {
      this.#isOursDone = true;
      return true;
    }
    if (before === this.#aside && this.#isOursDone) {
      this.beforeReturn = this.#afterOurs;
      return true;
    }
    if (this.#isOursDone) this.#afterOurs++;
    else this.beforeOurs++;
    return false;
  }
}
