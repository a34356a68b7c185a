// Searches folders for files by name and kind with the system's `find`: in a large project this takes a while, and the
// process that draws the screen must not wait for it.

import { childProcess } from "../../process/child-process.ts";
import { STARTER_ENV } from "../../process/namespaces.ts";
import { findSystemProgram } from "./starting.ts";

const PATIENCE_MS = 10_000;
const MOST_OUTPUT = 2 ** 26;

/**
 * Paths are byte strings (latin1), because a name need not be text. Folders that were not searched in time are missing;
 * `onUnfinished` is then called.
 */
export async function findEntries(
  folders: readonly string[],
  expression: readonly string[],
  onUnfinished?: () => void,
): Promise<string[]> {
  const find = findSystemProgram("find");
  if (find === undefined || folders.length === 0) return [];
  const options = {
    cwd: "/",
    env: STARTER_ENV,
    encoding: "latin1",
    timeout: PATIENCE_MS,
    maxBuffer: MOST_OUTPUT,
  } as const;
  return new Promise((resolve) => {
    // `find` fails if it may not read a folder, but its output is still valid.
    childProcess().execFile(find, [...folders, ...expression, "-print0"], options, (error, stdout) => {
      if (error?.killed) onUnfinished?.();
      resolve(stdout.split("\0").slice(0, -1));
    });
  });
}

/** Converts a path of `findEntries` for functions of node:fs. */
export const bytesOf = (path: string): Buffer => Buffer.from(path, "latin1");
