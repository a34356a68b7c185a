// Which folders must keep their names. Mounts protect files by path, and renaming a parent folder would take a file
// along: the next command would find it unprotected under the new name. A folder that is itself a mount cannot be
// renamed.

import { lstatSync } from "node:fs";
import { dirname } from "node:path";
import { isInside } from "../is-inside.ts";

/** All folders between a writable root and a protected path, or another root, inside it. */
export function pinnedFolders(roots: readonly string[], inside: readonly string[]): string[] {
  const between = inside.flatMap((path) => {
    const above = roots.filter((root) => root !== path && isInside(path, root));
    const outermost = above.sort((a, b) => a.length - b.length)[0];
    return outermost === undefined ? [] : foldersBetween(outermost, path);
  });
  return [...new Set(between)].filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false);
}

function foldersBetween(root: string, path: string): string[] {
  const parent = dirname(path);
  return parent === root || parent === dirname(parent) ? [] : [parent, ...foldersBetween(root, parent)];
}
