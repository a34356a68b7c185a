// Where the views of a project are kept, and what happens to work that could not land.

import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type LeftView, recoverStore } from "@lathe/agent";
import { hostOptions } from "../workspace/this-machine.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** Views of one project lie together, so that what was left behind is found. */
export function storeOf({ paths, cwd }: Pick<Workspace, "paths" | "cwd">, root = cwd): string {
  return join(paths.views, createHash("sha256").update(root).digest("hex").slice(0, 16));
}

/** Views that were spoken of already, by run. */
const told = new WeakMap<object, Set<string>>();

/** Removes what killed processes left, and says what was done to files, and which views are kept: each once, and those that the caller wants to tell of. */
export async function recoverViews(
  workspace: Workspace,
  tellsOf: (id: string) => boolean = () => true,
): Promise<string[]> {
  const host = hostOptions(workspace, () => {});
  const { undone, inDoubt, left } = await recoverStore(storeOf(workspace), host);
  const known = told.get(workspace.machine.deps) ?? new Set();
  told.set(workspace.machine.deps, known);
  const kept = left.filter(({ id }) => tellsOf(id) && !known.has(id));
  for (const { id } of kept) known.add(id);
  return [
    ...(undone > 0 ? ["An earlier landing was interrupted. What it had written was undone."] : []),
    ...inDoubt.map((path) => `${path} was changed after that landing and stays as it is. Look at it.`),
    ...kept.map(leftLine),
  ];
}

/** A run that was cut off, or left with changes. */
function leftLine({ id, isCutOff }: LeftView): string {
  const what = isCutOff
    ? "A run was cut off: its changes are kept."
    : `The view ${id} has changes that were not landed.`;
  return `${what} Continue with: lathe --worktree ${id}; or land them: lathe worktree land ${id}; or drop them: lathe worktree discard ${id}`;
}

/** Returns the file that has the changes. */
export function keepPatch(folder: string, id: string, patch: Uint8Array): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${id}.patch`);
  writeFileSync(file, patch, { mode: 0o600 });
  return file;
}
