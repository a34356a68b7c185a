// Finds the ripgrep program: the one that comes with the package, otherwise the first on PATH.

import { delimiter, isAbsolute, join } from "node:path";
import { isExecutable } from "../../process/spawn-error.ts";

/** Path of the ripgrep program; undefined if there is none. */
export async function locateRipgrep(path: string | undefined): Promise<string | undefined> {
  return (await bundledRipgrep()) ?? onPath("rg", path);
}

async function bundledRipgrep(): Promise<string | undefined> {
  try {
    const { rgPath } = await import("@vscode/ripgrep");
    return isExecutable(rgPath) ? rgPath : undefined;
  } catch {
    // There is no build for this platform, or optional packages were not installed.
    return undefined;
  }
}

/** Path of a program on PATH; undefined if it is not found. */
export function onPath(program: string, path: string | undefined): string | undefined {
  return (path ?? "")
    .split(delimiter)
    .filter(isAbsolute)
    .map((directory) => join(directory, program))
    .find(isExecutable);
}
