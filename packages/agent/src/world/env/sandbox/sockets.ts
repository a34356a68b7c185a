// Sockets and pipes with a name in the file system. A read-only mount does not keep programs from connecting to them,
// and behind each is a process outside the sandbox: a container engine, an agent that signs with the user's keys.

import { lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isInside } from "../is-inside.ts";
import { findEntries } from "./find-entries.ts";

/** Folders whose content the sandbox does not show anyway. */
const COVERED = ["/run", "/tmp", "/var/tmp", "/dev", "/proc"];
/** Depth of the search for pipes in the home directory; its caches are much deeper. */
const DEPTH_IN_HOME = 4;
/** Each costs a mount per command; a program that leaves more of them must not keep commands from starting. */
const MOST_PIPES = 100;

/** The real paths of all sockets that processes outside have open now; those inside have a separate table. */
export function openSockets(shownAgain: readonly string[]): string[] {
  // A name may contain a line break.
  const names = readTable()
    .split(/\n(?=[0-9a-f]+: )/)
    .map((entry) => /^\S+: \S+ \S+ \S+ \S+ \S+ +\d+ ([^@].*)$/s.exec(entry.replace(/\n$/, ""))?.[1])
    .filter((name) => name !== undefined);
  const relative = names.filter((name) => !name.startsWith("/"));
  // The table does not say what a relative name is relative to; usually the process is still in that directory.
  const folders = relative.length === 0 ? [] : [...shownAgain, ...workingFolders()];
  const paths = [
    ...names.filter((name) => name.startsWith("/")),
    ...folders.flatMap((folder) => relative.map((name) => join(folder, name))),
  ];
  return visible(paths, shownAgain).filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isSocket());
}

/** Pipes in the roots and the home directory that exist before the first command. */
export async function namedPipes(roots: readonly string[], home: string): Promise<string[]> {
  const found = await Promise.all([
    findEntries(roots, ["-type", "p"]),
    findEntries([home], ["-maxdepth", String(DEPTH_IN_HOME), "-type", "p"]),
  ]);
  const paths = found.flat().map((path) => Buffer.from(path, "latin1").toString());
  return visible(paths, roots).slice(0, MOST_PIPES);
}

/** Nothing can be mounted behind a link, so we use the real path. */
function visible(paths: readonly string[], shownAgain: readonly string[]): string[] {
  const folders = new Map([...new Set(paths.map((path) => dirname(path)))].map((path) => [path, realPath(path)]));
  const real = paths.flatMap((path) => {
    const folder = folders.get(dirname(path));
    return folder === undefined ? [] : [join(folder, basename(path))];
  });
  const isShown = (path: string): boolean =>
    !COVERED.some((folder) => isInside(path, folder)) || shownAgain.some((root) => isInside(path, root));
  return [...new Set(real)].filter(isShown);
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined; // it is gone, or in a folder that cannot be entered, not even from inside
  }
}

function readTable(): string {
  try {
    return readFileSync("/proc/net/unix", "utf8");
  } catch {
    return ""; // no such table on this system
  }
}

/** The working directories of all processes that we may inspect. */
function workingFolders(): string[] {
  const folders = readdirSync("/proc").map((name) => {
    try {
      return /^\d+$/.test(name) ? readlinkSync(`/proc/${name}/cwd`) : undefined;
    } catch {
      return undefined; // it has ended, or belongs to another user
    }
  });
  return [...new Set(folders.filter((folder) => folder !== undefined))];
}
