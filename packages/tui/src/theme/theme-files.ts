// A directory of theme files, one `<name>.json` each. The file system is passed in.

import type { FSWatcher } from "node:fs";
import { join } from "node:path";

/** Where a user's own themes come from. */
export interface ThemeFiles {
  names(): readonly string[];
  /** The text of a theme's file; undefined if there is none. */
  read(name: string): string | undefined;
  /** Calls back whenever the file may have changed, until the returned function is called. */
  watch(name: string, onChange: () => void): () => void;
}

export interface ThemeFileSystem {
  readdirSync(directory: string): string[];
  readFileSync(path: string, encoding: "utf8"): string;
  watch(directory: string, listener: (event: string, file: string | null) => void): Pick<FSWatcher, "close" | "on">;
}

const SAFE_NAME = /^[\w.-]+$/;
const ENDING = ".json";

export function themeDirectory(directory: string, fs: ThemeFileSystem): ThemeFiles {
  const listNames = (): string[] => orWithout([], () => fs.readdirSync(directory));
  return {
    names: () =>
      listNames()
        .filter((file) => file.endsWith(ENDING))
        .map((file) => file.slice(0, -ENDING.length)),
    read: (name) =>
      SAFE_NAME.test(name)
        ? orWithout(undefined, () => fs.readFileSync(join(directory, `${name}${ENDING}`), "utf8"))
        : undefined,
    // Watch the directory, not the file: editors save by replacing the file.
    watch: (name, onChange) =>
      orWithout(
        () => {},
        () => {
          const watcher = fs.watch(directory, (_event, file) => {
            if (file === null || file === `${name}${ENDING}`) onChange();
          });
          watcher.on("error", () => watcher.close());
          return () => watcher.close();
        },
      ),
  };
}

function orWithout<T>(otherwise: T, run: () => T): T {
  try {
    return run();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return otherwise;
    throw error;
  }
}
