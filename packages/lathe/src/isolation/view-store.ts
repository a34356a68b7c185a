// Where the views of a project are kept, and what happens to work that could not land.

import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { recoverStore } from "@lathe/agent";
import { hostOptions } from "../workspace/this-machine.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** Views of one project lie together, so that what was left behind is found. */
export function storeOf({ paths, cwd }: Pick<Workspace, "paths" | "cwd">, root = cwd): string {
  return join(paths.views, createHash("sha256").update(root).digest("hex").slice(0, 16));
}

/** Removes what killed processes left, and says what was done to files. */
export async function recoverViews(workspace: Workspace): Promise<string[]> {
  const host = hostOptions(workspace, () => {});
  const { undone, inDoubt } = await recoverStore(storeOf(workspace), host);
  return [
    ...(undone > 0 ? ["An earlier landing was interrupted. What it had written was undone."] : []),
    ...inDoubt.map((path) => `${path} was changed after that landing and stays as it is. Look at it.`),
  ];
}

/** Returns the file that has the changes. */
export function keepPatch(folder: string, id: string, patch: Uint8Array): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${id}.patch`);
  writeFileSync(file, patch, { mode: 0o600 });
  return file;
}
