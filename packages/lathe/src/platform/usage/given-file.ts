// Files that the user names on the command line.

import { readFile, stat } from "node:fs/promises";

/** What a shell gives for `<(command)` has a writer already, and an end. */
const OF_THE_SHELL = /^\/dev\/(?:fd\/\d+|null)$/;

/** Throws the system's error; a pipe would be waited for in silence, and a device may have no end. */
export async function readGivenFile(path: string): Promise<Buffer> {
  const found = await stat(path);
  if (!found.isFile() && !found.isDirectory() && !OF_THE_SHELL.test(path)) throw new NoRegularFile(path);
  return readFile(path);
}

export class NoRegularFile extends Error {
  readonly code = "it is a pipe or device";

  constructor(path: string) {
    super(`${path} is a pipe or device`);
  }
}
