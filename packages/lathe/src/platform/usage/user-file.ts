// Reads files that the user names on the command line.

import { readFile, stat } from "node:fs/promises";

/** A shell's `<(command)` already has a writer, so reading it comes to an end. */
const OF_THE_SHELL = /^\/dev\/(?:fd\/\d+|null)$/;

/**
 * Throws the system's error. Refuses pipes, which would block without a message, and devices, which may have no end.
 */
export async function readUserFile(path: string): Promise<Buffer> {
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
