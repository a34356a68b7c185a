// Where views of a project are kept. Those of one folder lie together, so that what was left behind is found.

import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Workspace } from "./workspace.ts";

export function viewStore({ paths }: Pick<Workspace, "paths">, root: string): string {
  return join(paths.views, createHash("sha256").update(root).digest("hex").slice(0, 16));
}
