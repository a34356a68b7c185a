// The local disk for the in-process engine. Synchronous calls are several times cheaper here; the engine pauses between
// batches of files so that the host stays responsive.

import { lstatSync, readdirSync, readFileSync, statSync } from "node:fs";
import type { EnvVars } from "../../process/env-policy.ts";
import { personalIgnoreFile } from "./global-ignore.ts";
import { localKind, skipForbidden } from "./regular-file.ts";
import type { SearchEntry, SearchFs } from "./search-fs.ts";

/** `onDisk`: maps a path of the search to a path on disk. */
export function localSearchFs(env: EnvVars, onDisk: (path: string) => string): SearchFs {
  return {
    kinds: (paths) => disk.kinds(paths.map(onDisk)),
    entries: (directory) => disk.entries(onDisk(directory)),
    read: (paths) => disk.read(paths.map(onDisk)),
    mtimeMs: (path) => disk.mtimeMs(onDisk(path)),
    globalIgnore: async () => personalIgnoreFile(env),
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
    return paths.map((path) =>
      skipForbidden(() => (statSync(path).size > MOST_BYTES ? Buffer.alloc(0) : readFileSync(path)), Buffer.alloc(0)),
    );
  },
  async mtimeMs(path) {
    return lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  },
};

/** Larger files are skipped, because they do not fit in one string. */
const MOST_BYTES = 256 << 20;
