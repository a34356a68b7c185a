// What killed processes have left in the views of a project. What an agent had changed becomes a patch, and its view is removed; a view
// that cannot be read stays.

import { existsSync } from "node:fs";
import { EnvError } from "@lathe/agent";
import { type LeftView, patchOf, readView, recoverStore, type View, type ViewAgent } from "@lathe/agent/files";
import { messageOf } from "@lathe/llm";
import { hostOptions } from "../../config/workspace/this-machine.ts";
import type { Workspace } from "../../config/workspace/workspace.ts";
import { leftOutText, unreadText } from "./landing-text.ts";
import { keepPatch, storeOf } from "./view-store.ts";

/**
 * Removes what killed processes left, makes patches of what their agents had changed, and says what was done to files, and which views
 * are kept: each once, and those that the caller wants to tell of.
 */
export async function recoverViews(
  workspace: Workspace,
  tellsOf: (id: string) => boolean = () => true,
): Promise<string[]> {
  const host = hostOptions(workspace, () => {});
  const { undone, inDoubt, left } = await recoverStore(storeOf(workspace), host);
  const known = workspace.said.views;
  const kept = left.filter(({ id, agent }) => !agent && tellsOf(id) && !known.has(id));
  for (const { id } of kept) known.add(id);
  const work: string[] = [];
  for (const view of left) {
    const line = view.agent && (await keepLeftWork(workspace, view, view.agent));
    if (line !== undefined && !known.has(line)) work.push(line);
    if (line !== undefined) known.add(line);
  }
  return [
    ...(undone > 0 ? ["An earlier landing was interrupted. What it had written was undone."] : []),
    ...inDoubt.map((path) => `${path} was changed after that landing and stays as it is. Look at it.`),
    ...work,
    ...kept.map(leftLine),
  ];
}

/** A run that was cut off, or left with changes. */
function leftLine({ id, isCutOff }: LeftView): string {
  const what = isCutOff
    ? "A run was cut off: its changes are kept."
    : `The isolated copy ${id} has changes that were not applied.`;
  return `${what} Continue with: lathe --worktree ${id}; or land them: lathe worktree land ${id}; or drop them: lathe worktree discard ${id}`;
}

/** Returns what to say of it; undefined when nothing was changed, or another process is about it. */
async function keepLeftWork(workspace: Workspace, { id }: LeftView, agent: ViewAgent): Promise<string | undefined> {
  const host = hostOptions(workspace, () => {});
  const { cwd, paths } = workspace;
  let view: View | undefined;
  try {
    const signal = new AbortController().signal;
    view = await readView({ root: cwd, id, store: storeOf(workspace), host, signal });
    const delta = await view.delta();
    let line: string | undefined;
    if (delta.parts.some(({ changes }) => changes.length > 0)) {
      // The session may have been deleted meanwhile.
      const folder = existsSync(agent.patches) ? agent.patches : paths.patches;
      const bytes = await patchOf(delta, cwd, host);
      const patch = keepPatch(folder, agent.id, bytes);
      // It had been sent back to settle them.
      const markers = /^\+<{7} /m.test(bytes.toString("latin1")) ? " (it has conflict markers)" : "";
      const more = `${markers}${leftOutText(cwd, delta).replace("\n", " ")}`;
      line = `The agent ${agent.id} ended before its changes were merged. To apply them: git apply --3way ${patch}${more}`;
    }
    await view.close();
    return line;
  } catch (error) {
    if (error instanceof EnvError && error.code === "exists") return undefined;
    await view?.leave();
    return `The agent ${agent.id} ended before its changes were merged. ${unreadText(messageOf(error), id)}`;
  }
}
