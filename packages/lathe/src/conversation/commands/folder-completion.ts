// Completes folder names for commands that take one. Enter accepts the first completion, so a folder that was typed in
// full comes before longer names and its subfolders.

import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Machine } from "../../platform/machine/machine.ts";

export function foldersLike({ cwd, userHome }: Pick<Machine, "cwd" | "userHome">, typed: string): readonly string[] {
  const at = typed.lastIndexOf("/") + 1;
  const [parent, begun] = [typed.slice(0, at), typed.slice(at)];
  const placeOf = (path: string): string => resolve(cwd, path.replace(/^~(?=\/)/, userHome));
  try {
    const longer = readdirSync(placeOf(parent), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name.startsWith(begun) && entry.name !== begun)
      .filter(({ name }) => begun !== "" || !name.startsWith("."))
      .map(({ name }) => join(parent, name))
      .sort();
    const isFolder = typed !== "" && statSync(placeOf(typed), { throwIfNoEntry: false })?.isDirectory() === true;
    return isFolder ? [typed, ...longer] : longer;
  } catch {
    return []; // the typed path does not exist
  }
}
