// Cleans up what killed processes left in a store. In this order: incomplete landings and commits are undone, the
// newest first; containers, processes and folders are removed. A view that is kept stays if something was changed in
// it.

import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Processes } from "../../world/process/processes.ts";
import { removeContainer } from "./container-view.ts";
import { journalTime, undoLanding } from "./landing-journal.ts";
import { isChanged, type LeftView, leftViews, recordIn } from "./left-view.ts";
import { endLeftProcesses } from "./orphan-processes.ts";
import type { ViewHost } from "./types.ts";
import { abandonedFolders, FAR_COMMIT, FAR_WRITTEN, isFullDisk, removeFolder, takeOver } from "./view-folder.ts";

/** The result of a recovery. */
export interface Recovery {
  /** Number of landings that were undone. */
  readonly undone: number;
  /** Number of edits of several files that were undone. */
  readonly undoneEdits: number;
  /** Edits of files that are not on this machine's disk. */
  readonly cutEdits: readonly CutEdit[];
  /** Files that such a landing or edit had written and that were changed by others since. They stay unchanged. */
  readonly inDoubt: readonly string[];
  /** Views with changes that can be continued. */
  readonly left: readonly LeftView[];
}

/** An interrupted edit of several files elsewhere, which cannot be undone. */
export interface CutEdit {
  readonly written: readonly string[];
  /** These may or may not be written. */
  readonly others: readonly string[];
}

/** Call this before anything else is done with a store; views and landings do so themselves. */
export async function recoverStore(store: string, host: ViewHost): Promise<Recovery> {
  const abandoned = abandonedFolders(store);
  const inDoubt: string[] = [];
  const undone: string[] = [];
  const cutEdits: CutEdit[] = [];
  // A later one may have started from what an earlier one had written.
  const begun = abandoned.filter(({ folder }) => journalTime(folder) > 0);
  for (const { folder } of begun.sort((one, other) => journalTime(other.folder) - journalTime(one.folder))) {
    inDoubt.push(...undoLanding(folder));
    undone.push(basename(folder));
  }
  for (const { folder, owner } of abandoned) {
    cutEdits.push(...farCommitIn(folder));
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
  const undoneEdits = undone.filter((id) => id.startsWith("commit-")).length;
  return { undone: undone.length - undoneEdits, undoneEdits, cutEdits, inDoubt, left: leftViews(store) };
}

function farCommitIn(folder: string): CutEdit[] {
  const lines = linesIn(join(folder, FAR_COMMIT));
  if (lines.length === 0) return [];
  const written = linesIn(join(folder, FAR_WRITTEN)).map((line) => JSON.parse(line) as string);
  return [{ written, others: (JSON.parse(lines[0]!) as string[]).filter((path) => !written.includes(path)) }];
}

/** Only complete lines, because the last one may have been cut off. */
function linesIn(file: string): string[] {
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
}

function isOurs(store: string, id: string): boolean {
  try {
    return takeOver(store, id);
  } catch (error) {
    // There is no space to mark it as ours, so it stays until there is.
    if (!isFullDisk(error)) throw error;
    return false;
  }
}
