// The files that a session's calls have changed, from the journal: one change per file, however often it was changed.

import type { Journal } from "@lathe/agent";
import type { FileChange, TreeEntry } from "@lathe/agent/contract";
import { fileDiff } from "@lathe/agent/files";
import { pathTo } from "@lathe/agent/record";
import type { CommandData } from "./commands.ts";

type ChangedFile = CommandData<"get_changes">["files"][number];

/** Only those on the active branch: after a rewind, changes of another branch do not count. */
export function changedFiles(journal: Journal): ChangedFile[] {
  const total = new Map<string, FileChange>();
  for (const id of pathTo(journal, journal.leaf)) {
    const type = journal.meta(id)?.type;
    if (type !== "message" && type !== "nested_call") continue;
    for (const change of changesOf(journal.entry(id)))
      total.set(change.path, joinChanges(total.get(change.path), change));
  }
  return [...total.values()].flatMap((change) => {
    if (change.before?.sha256 === change.after?.sha256) return [];
    return [{ path: change.path, change: wordFor(change), diff: fileDiff(change, journal.blobs) }];
  });
}

const changesOf = (entry: TreeEntry): readonly FileChange[] => ("changes" in entry && entry.changes) || [];

/** The change from before the first to after the second. */
function joinChanges(first: FileChange | undefined, { after, ...second }: FileChange): FileChange {
  const { before } = first ?? second;
  const { path, added, removed } = second;
  return { path, added, removed, ...(before ? { before } : {}), ...(after ? { after } : {}) };
}

function wordFor({ before, after }: FileChange): ChangedFile["change"] {
  if (before === undefined) return "added";
  return after === undefined ? "deleted" : "changed";
}
