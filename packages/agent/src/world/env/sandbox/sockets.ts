// Sockets with a name in the file system. A read-only mount does not keep a program from connecting to one, and behind each is a
// process outside of the sandbox: a container engine, an agent that signs with the person's keys.

import { lstatSync, readFileSync } from "node:fs";

/** Folders of which the sandbox shows nothing anyway. */
const COVERED = /^\/(?:run|tmp|var\/run|var\/tmp|dev)\//;

/** All that processes outside have open now; those inside have a table of their own. */
export function openSockets(shownAgain: readonly string[]): string[] {
  const isCovered = (path: string): boolean =>
    COVERED.test(path) && !shownAgain.some((root) => path.startsWith(`${root}/`));
  const paths = readTable()
    .split("\n")
    .map((line) => /^\S+: \S+ \S+ \S+ \S+ \S+ +\d+ (\/.*)$/.exec(line)?.[1])
    .filter((path) => path !== undefined);
  return [...new Set(paths)].filter((path) => !isCovered(path) && isSocket(path));
}

function readTable(): string {
  try {
    return readFileSync("/proc/net/unix", "utf8");
  } catch {
    return ""; // no such table on this system
  }
}

function isSocket(path: string): boolean {
  try {
    return lstatSync(path).isSocket();
  } catch {
    return false; // gone, or in a folder that may not be entered, from the inside neither
  }
}
