// Recovers what killed processes left in the views of a project. An agent's changes become a patch, and its view is
// removed; a view that cannot be read is kept.

import { existsSync } from "node:fs";
import { messageOf } from "@lathe/llm";
import type { LeftView } from "../../files/isolate/left-view.ts";
import { readView } from "../../files/isolate/open-view.ts";
import { patchOf } from "../../files/isolate/patch.ts";
import { type CutEdit, recoverStore } from "../../files/isolate/recover.ts";
import type { View, ViewAgent } from "../../files/isolate/types.ts";
import { EnvError } from "../../world/process/types.ts";
import { leftOutText, unreadText } from "./landing-text.ts";
import type { IsolatedAgentsOptions } from "./options.ts";
import { keepPatch } from "./patches.ts";

/** The results of a recovery. `landings` and `work` are lines for the user. */
export interface RecoveredWork {
  readonly landings: readonly string[];
  readonly work: readonly string[];
  /** Views that belong to no agent. */
  readonly left: readonly LeftView[];
}

/** Undoes landings that were cut off, and makes patches of the changes by agents of killed processes. */
export async function recoverAgentWork(places: Omit<IsolatedAgentsOptions, "journal">): Promise<RecoveredWork> {
  const { undone, undoneEdits, cutEdits, inDoubt, left } = await recoverStore(places.store, places.host);
  const work: string[] = [];
  for (const view of left) {
    const line = view.agent && (await keepLeftWork(places, view, view.agent));
    if (line !== undefined) work.push(line);
  }
  return {
    landings: [
      ...(undone > 0 ? ["An earlier landing was interrupted. What it had written was undone."] : []),
      ...(undoneEdits > 0 ? ["An edit of several files was interrupted. What it had written was undone."] : []),
      ...inDoubt.map((path) => `${path} has been changed since and was left as it is. Check it.`),
      ...cutEdits.map(cutLine),
    ],
    work,
    left: left.filter(({ agent }) => !agent),
  };
}

const cutLine = ({ written, others }: CutEdit): string =>
  `An edit of ${written.length + others.length} files in another place was interrupted. Written: ${written.join(", ") || "none"}. ` +
  `Maybe not written, look at them: ${others.join(", ") || "none"}.`;

/** Returns a message; undefined if nothing was changed or another process is handling the view. */
async function keepLeftWork(
  places: Omit<IsolatedAgentsOptions, "journal">,
  { id }: LeftView,
  agent: ViewAgent,
): Promise<string | undefined> {
  const { root, store, host, patches, howToDrop } = places;
  let view: View | undefined;
  try {
    const signal = new AbortController().signal;
    view = await readView({ root, id, store, host, signal });
    const delta = await view.delta();
    let line: string | undefined;
    if (delta.parts.some(({ changes }) => changes.length > 0)) {
      // The session may have been deleted in the meantime.
      const folder = existsSync(agent.patches) ? agent.patches : patches;
      const bytes = await patchOf(delta, root, host);
      const patch = keepPatch(folder, agent.id, bytes);
      // The agent had been sent back to resolve the conflicts.
      const markers = /^\+<{7} /m.test(bytes.toString("latin1")) ? " (it has conflict markers)" : "";
      const more = `${markers}${leftOutText(root, delta).replace("\n", " ")}`;
      line = `The agent ${agent.id} ended before its changes were merged. To apply them: git apply --3way ${patch}${more}`;
    }
    await view.close();
    return line;
  } catch (error) {
    if (error instanceof EnvError && error.code === "exists") return undefined;
    await view?.leave();
    return `The agent ${agent.id} ended before its changes were merged. ${unreadText(messageOf(error), id, howToDrop)}`;
  }
}
