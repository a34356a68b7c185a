// Rescues the work that a killed worker left in its isolated copy.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { leftViews } from "@lathe/agent/files";
import { storeOf } from "../../changes/isolation/view-store.ts";
import type { Settled } from "../../config/workspace/run-view.ts";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import { OpenRunView } from "../../hosts/worktree/run-view.ts";

const LOOKS_EVERY_MS = 250;
const MOST_LOOKS = 40;

/**
 * Writes a patch of the changes, then removes the copy. Undefined if there is no copy, or it has no changes. Rejects if
 * the copy cannot be opened; it then stays. We retry, because a killed process counts as alive for a moment and its
 * commands may still use the copy.
 */
export async function keepCopy(workspace: SessionWorkspace, view: string): Promise<string | undefined> {
  const store = storeOf(workspace);
  for (let looks = 1; existsSync(join(store, view)); looks++) {
    const isLeft = leftViews(store).some(({ id }) => id === view);
    const settled = isLeft ? await patchOf(workspace, view) : undefined;
    if (settled && settled.outcome !== "failed") return settled.patch;
    if (looks === MOST_LOOKS) throw new Error(settled?.message ?? "its process does not end");
    await setTimeout(LOOKS_EVERY_MS);
  }
  return undefined;
}

/** The last patch of a copy that no longer exists. */
export function patchOfView({ paths }: SessionWorkspace, view: string): string | undefined {
  let last: string | undefined;
  for (let n = 1; ; n++) {
    const path = join(paths.patches, n === 1 ? `${view}.patch` : `${view}-${n}.patch`);
    if (!existsSync(path)) return last;
    last = path;
  }
}

async function patchOf(workspace: SessionWorkspace, view: string): Promise<Settled> {
  const left = await OpenRunView.open(workspace, view, () => {});
  const settled = await left.settle("patch", async () => undefined);
  // Keep a copy that could not be read, for another attempt.
  if (settled.patch === undefined) await left.leave();
  else await left.close();
  return settled;
}
