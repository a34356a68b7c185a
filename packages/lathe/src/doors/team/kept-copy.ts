// What a worker whose process was killed has left in its isolated copy.

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
 * A patch of its changes; then the copy is removed. Undefined: there is no copy, or it holds no change. Rejects when the copy cannot be
 * opened, and stays. A process that was killed counts as alive for a moment, and what it ran may hold on to the copy.
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

/** The last patch of a copy that is gone. */
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
  // What could not be read stays, to be tried again.
  if (settled.patch === undefined) await left.leave();
  else await left.close();
  return settled;
}
