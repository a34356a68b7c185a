// Folders that begin with what was typed, for commands that take one.

import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Machine } from "../../platform/machine/machine.ts";

export function foldersLike({ cwd, userHome }: Pick<Machine, "cwd" | "userHome">, typed: string): readonly string[] {
  const at = typed.lastIndexOf("/") + 1;
  const [parent, begun] = [typed.slice(0, at), typed.slice(at)];
  const place = resolve(cwd, parent.replace(/^~(?=\/)/, userHome));
  try {
    return readdirSync(place, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name.startsWith(begun))
      .filter(({ name }) => begun !== "" || !name.startsWith("."))
      .map(({ name }) => join(parent, name));
  } catch {
    return []; // what was typed leads nowhere
  }
}
