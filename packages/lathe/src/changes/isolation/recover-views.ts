// Tells of what killed processes have left in the views of a project: the work of agents, and views of whole runs.

import { recoverAgentWork } from "@lathe/agent/agents";
import type { LeftView } from "@lathe/agent/files";
import { hostOptions } from "../../config/workspace/this-machine.ts";
import type { Workspace } from "../../config/workspace/workspace.ts";
import { howToDrop, storeOf } from "./view-store.ts";

/**
 * Removes what killed processes left, makes patches of what their agents had changed, and says what was done to files, and which views
 * are kept: each once, and those that the caller wants to tell of.
 */
export async function recoverViews(
  workspace: Workspace,
  tellsOf: (id: string) => boolean = () => true,
): Promise<string[]> {
  const { cwd: root, paths, said } = workspace;
  const host = hostOptions(workspace, () => {});
  const store = storeOf(workspace);
  const { landings, work, left } = await recoverAgentWork({ root, store, host, patches: paths.patches, howToDrop });
  const known = said.views;
  const kept = left.filter(({ id }) => tellsOf(id) && !known.has(id));
  for (const { id } of kept) known.add(id);
  const fresh = work.filter((line) => !known.has(line));
  for (const line of fresh) known.add(line);
  return [...landings, ...fresh, ...kept.map(leftLine)];
}

/** A run that was cut off, or left with changes. */
function leftLine({ id, isCutOff }: LeftView): string {
  const what = isCutOff
    ? "A run was cut off: its changes are kept."
    : `The isolated copy ${id} has changes that were not applied.`;
  return `${what} Continue with: lathe --worktree ${id}; or land them: lathe worktree land ${id}; or drop them: ${howToDrop(id)}`;
}
