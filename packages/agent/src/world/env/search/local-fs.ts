// The local disk for the in-process engine. Synchronous calls are several times cheaper here; the engine pauses between
// batches of files so that the host stays responsive.

import { lstatSync, readdirSync, readFileSync, statSync } from "node:fs";
import type { EnvVars } from "../../process/env-policy.ts";
import { globalIgnore } from "./global-ignore.ts";
import type { FileKind, SearchEntry, SearchFs } from "./search-fs.ts";

/** `onDisk`: where a path of the search lies. */
export function localSearchFs(env: EnvVars, onDisk: (path: string) => string): SearchFs {
  return {
    kinds: (paths) => disk.kinds(paths.map(onDisk)),
    entries: (directory) => disk.entries(onDisk(directory)),
    read: (paths) => disk.read(paths.map(onDisk)),
    mtimeMs: (path) => disk.mtimeMs(onDisk(path)),
    globalIgnore: async () => globalIgnore(env, readText),
  };
}

const disk: SearchFs = {
  async kinds(paths) {
    return paths.map(localKind);
  },
  async entries(directory) {
    const entries: SearchEntry[] = [];
    for (const entry of skipForbidden(() => readdirSync(directory, { withFileTypes: true }), [])) {
      if (entry.isFile()) entries.push({ name: entry.name, kind: "file" });
      else if (entry.isDirectory()) entries.push({ name: entry.name, kind: "directory" });
    }
    return entries;
  },
  async read(paths) {
    return paths.map((path) => skipForbidden(() => readUpTo(path, MOST_BYTES), Buffer.alloc(0)));
  },
  async mtimeMs(path) {
    return lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  },
};

/** A larger file is skipped: it does not fit in one string. */
const MOST_BYTES = 256 << 20;

function readUpTo(path: string, most: number): Buffer {
  return statSync(path).size > most ? Buffer.alloc(0) : readFileSync(path);
}

function readText(path: string): string | undefined {
  // Reading a pipe would block.
  return localKind(path) === "file" ? skipForbidden(() => readFileSync(path, "utf8"), undefined) : undefined;
}

export function localKind(path: string): FileKind | undefined {
  const stat = skipForbidden(() => statSync(path, { throwIfNoEntry: false }), undefined);
  return stat?.isFile() ? "file" : stat?.isDirectory() ? "directory" : undefined;
}

/** Files that vanish during the walk or that we may not read are skipped, as in ripgrep. */
function skipForbidden<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch (error) {
    if (
      ["EACCES", "EPERM", "ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG"].includes(
        (error as NodeJS.ErrnoException).code ?? "",
      )
    )
      return otherwise;
    throw error;
  }
}
