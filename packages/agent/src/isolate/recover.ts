// What processes that were killed have left in a store: half a landing is undone, containers and folders are removed. Their mounts and
// processes ended with them.

import { Processes } from "../process/processes.ts";
import { removeContainer } from "./container-view.ts";
import { hasJournal, undoLanding } from "./landing-journal.ts";
import { endLeftProcesses } from "./left-processes.ts";
import type { ViewHost } from "./types.ts";
import { abandonedFolders, removeFolder } from "./view-folder.ts";

/** What was done. */
export interface Recovery {
  /** Landings that were undone. */
  readonly undone: number;
  /** Files that such a landing had written, and that something else has changed since. They stay as they are. */
  readonly inDoubt: readonly string[];
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
    removeFolder(folder);
  }
  return { undone, inDoubt };
}
