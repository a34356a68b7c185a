// Cleans up after killed processes in the isolated copies of a project: the work of agents, and copies of whole runs.

import { recoverAgentWork } from "@lathe/agent/agents";
import type { LeftView } from "@lathe/agent/files";
import { hostOptions } from "../../config/workspace/this-machine.ts";
import type { Workspace } from "../../config/workspace/workspace.ts";
import { howToDrop, storeOf } from "./view-store.ts";

/**
 * Removes what killed processes left behind, and saves their agents' changes as patches. Returns what was done to files
 * and which copies are kept; each is reported once, and only those that the caller wants to report.
 */
export async function recoverViews(
  workspace: Workspace,
  tellsOf: (id: string) => boolean = () => true,
): Promise<string[]> {
  const { cwd: root, paths, reported: said } = workspace;
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

/** Describes the copy of a run that was interrupted or ended with changes. */
function leftLine({ id, isCutOff }: LeftView): string {
  const what = isCutOff
    ? "A run was interrupted; its changes are kept."
    : `The isolated copy ${id} has changes that were not applied.`;
  return `${what} Continue with: lathe --worktree ${id}; or apply them: lathe worktree land ${id}; or drop them: ${howToDrop(id)}`;
}
