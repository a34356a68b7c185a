// The history of the files in the journal: stretches in which the session may have changed them (calls, rewinds), each
// with the list of files before and after. Between two stretches, only others can have changed anything.

import type { RewindRecord, SnapshotLine } from "../../contract/journal.ts";
import { pathTo } from "../../record/journal/context.ts";
import type { Journal } from "../../record/journal/journal.ts";

export interface Stretch {
  /** Lists of files, as blobs; empty for a rewind of only the conversation. */
  readonly before: string;
  /** Undefined if the process was killed during the stretch, so that its changes are unknown. */
  readonly after: string | undefined;
  /** The entry whose files exist after it. */
  readonly entryId: string | null;
  /** Paths covered from the list before, or after, on. */
  readonly foundBefore: readonly string[];
  readonly foundAfter: readonly string[];
  readonly rewind?: RewindRecord;
  /** A rewind that left some files unrestored. */
  readonly isPartial: boolean;
  /** Why nothing is known about the file changes of this round. */
  readonly unrecorded?: string;
}

export type TimelineJournal = Pick<Journal, "outside" | "has" | "meta">;

export function readTimeline(journal: Pick<Journal, "outside">): Stretch[] {
  const stretches: Stretch[] = [];
  let open: SnapshotLine | undefined;
  let found: string[] = [];
  const end = (after: SnapshotLine | undefined): void => {
    if (!open) return;
    stretches.push({
      before: open.blob,
      after: after?.blob,
      entryId: after ? after.entryId : open.entryId,
      foundBefore: found,
      foundAfter: after?.found ?? [],
      isPartial: after?.isPartial ?? false,
      ...(open.rewind && !after?.isAbandoned ? { rewind: open.rewind } : {}),
    });
    open = undefined;
    found = [];
  };
  for (const line of journal.outside("snapshot")) {
    if (line.phase === "after") end(line);
    else if (line.phase === "unrecorded") {
      end(undefined);
      stretches.push(unrecordedStretch(line));
    } else {
      if (line.phase === "before") end(undefined);
      const { rewind } = open ?? line;
      open = { ...line, ...(rewind ? { rewind } : {}) };
      found = [...found, ...(line.found ?? [])];
    }
  }
  end(undefined);
  return stretches;
}

const unrecordedStretch = ({ entryId, reason = "the reason is not known" }: SnapshotLine): Stretch => ({
  ...{ before: "", after: undefined, entryId, foundBefore: [], foundAfter: [], isPartial: false },
  unrecorded: reason,
});

/** Why the files of entries that a rewind undoes are unknown; undefined if they are known. */
export function unrecordedIn(
  stretches: readonly Stretch[],
  journal: TimelineJournal,
  { from, to }: { readonly from: string | null; readonly to: string | null },
): string | undefined {
  const kept = new Set(pathTo(journal, to));
  const takenBack = new Set(pathTo(journal, from).filter((id) => !kept.has(id)));
  return stretches.find(({ unrecorded, entryId }) => unrecorded !== undefined && takenBack.has(entryId ?? ""))
    ?.unrecorded;
}

/** The rewind that was in progress when the process was killed. */
export function cutRewind(
  journal: Pick<Journal, "lastOutside">,
): (SnapshotLine & { readonly rewind: RewindRecord }) | undefined {
  const last = journal.lastOutside("snapshot");
  return last?.phase === "before" && last.rewind ? { ...last, rewind: last.rewind } : undefined;
}

/**
 * The number of stretches up to the moment when the files were last those of `entryId`. An entry between two stretches
 * has the files of the earlier one; the entries of one answer's calls, except the last, all have the files before the
 * calls.
 */
export function stretchesUpTo(stretches: readonly Stretch[], journal: TimelineJournal, entryId: string | null): number {
  const depth = new Map<string | null, number>([[null, 0]]);
  if (entryId !== null) for (const [i, id] of pathTo(journal, entryId).entries()) depth.set(id, i + 1);
  let deepest = 0;
  let count = 0;
  for (const [i, stretch] of stretches.entries()) {
    const at = stretch.before === "" || stretch.isPartial ? undefined : depth.get(stretch.entryId);
    if (at === undefined || at < deepest) continue;
    deepest = at;
    count = i + 1;
  }
  return count;
}

/** A rewind that can be undone. */
export interface LastRewind {
  /** The rewind's index among the rewinds. */
  readonly position: number;
  /** The rewind's index among the stretches. */
  readonly at: number;
  readonly rewind: RewindRecord;
  /** The leaf after it, or after the attempt to undo it that left files. */
  readonly conversationAt: string | null;
}

/**
 * The last rewind that was not undone and is not followed by calls; undefined if there is none. `finish`: prefer one
 * that was just undone, but only partly.
 */
export function rewindToTakeBack(
  stretches: readonly Stretch[],
  { finish }: { readonly finish: boolean },
): LastRewind | undefined {
  const rewinds = stretches.flatMap(({ rewind }, at) => (rewind ? [{ rewind, at }] : []));
  const last = stretches.at(-1);
  const unfinished = finish && last?.isPartial ? last.rewind?.takesBack : undefined;
  if (unfinished !== undefined && rewinds[unfinished])
    return { position: unfinished, ...rewinds[unfinished], conversationAt: last?.rewind?.to ?? null };
  const takenBack = new Set(rewinds.map(({ rewind }) => rewind.takesBack));
  for (let position = rewinds.length - 1; position >= 0; position--) {
    const { rewind, at } = rewinds[position]!;
    if (rewind.takesBack !== undefined || takenBack.has(position)) continue;
    const isLast = stretches.slice(at).every((stretch) => stretch.rewind);
    return isLast ? { position, at, rewind, conversationAt: rewind.to } : undefined;
  }
  return undefined;
}
