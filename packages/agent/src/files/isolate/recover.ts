// What processes that were killed have left in a store: half a landing is undone, containers and folders are removed. Their mounts and
// processes ended with them. A view that is kept stays when something was changed in it.

import { basename } from "node:path";
import { Processes } from "../../world/process/processes.ts";
import { removeContainer } from "./container-view.ts";
import { hasJournal, undoLanding } from "./landing-journal.ts";
import { endLeftProcesses } from "./left-processes.ts";
import { isChanged, type LeftView, leftViews, recordIn } from "./left-view.ts";
import type { ViewHost } from "./types.ts";
import { abandonedFolders, isFullDisk, removeFolder, takeOver } from "./view-folder.ts";

/** What was done. */
export interface Recovery {
  /** Landings that were undone. */
  readonly undone: number;
  /** Files that such a landing had written, and that something else has changed since. They stay as they are. */
  readonly inDoubt: readonly string[];
  /** Views with changes that can be continued. */
  readonly left: readonly LeftView[];
}

/** To be called before anything else is done with a store; views and landings do so themselves. */
export async function recoverStore(store: string, host: ViewHost): Promise<Recovery> {
  const abandoned = abandonedFolders(store);
  const inDoubt: string[] = [];
  let undone = 0;
  for (const { folder, owner } of abandoned) {
    if (hasJournal(folder)) {
      inDoubt.push(...undoLanding(folder));
      undone++;
    }
    if (owner?.container) {
      const processes = new Processes({ clock: host.clock });
      await removeContainer(processes, owner.container, host.baseEnv);
      await processes.cleanup();
    }
    endLeftProcesses(folder);
    const record = recordIn(folder);
    if (record && (await isChanged(folder, record, host))) continue;
    // Another process may be about to continue it.
    if (!record || isOurs(store, basename(folder))) await removeFolder(folder);
  }
  return { undone, inDoubt, left: leftViews(store) };
}

function isOurs(store: string, id: string): boolean {
  try {
    return takeOver(store, id);
  } catch (error) {
    // No room to say that it is ours: it stays until there is.
    if (!isFullDisk(error)) throw error;
    return false;
  }
}
