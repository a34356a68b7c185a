// Where the isolated copies of a project are kept.

import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Workspace } from "../../config/workspace/workspace.ts";

/** The copies of one project share a folder, so that leftovers are found. */
export function storeOf({ paths, cwd }: Pick<Workspace, "paths" | "cwd">, root = cwd): string {
  return join(paths.views, createHash("sha256").update(root).digest("hex").slice(0, 16));
}

export const howToDrop = (view: string): string => `lathe worktree discard ${view}`;
