// Which stretches the files of a moment consist of. A rewind that restored everything leads to an earlier moment, and
// undoing it leads to the moment before it: what happened in between is then no longer part of the files. So whoever
// changed a file before a rewind and its redo still counts as its last author after them.

import { type Stretch, stretchesUpTo, type TimelineJournal } from "./timeline.ts";

/** The last stretch of the files, and the moment before it. */
interface Moment {
  readonly at: number;
  readonly earlier: Moment | undefined;
}

export interface Undoing {
  /** Oldest first. */
  readonly undone: readonly Stretch[];
  /** All stretches since the first of these. */
  readonly since: readonly Stretch[];
}

/** What must be undone to get the files of `entryId`. */
export function stretchesToUndo(
  stretches: readonly Stretch[],
  journal: TimelineJournal,
  entryId: string | null,
): Undoing {
  const count = stretchesUpTo(stretches, journal, entryId);
  const moments = momentsAfter(stretches, journal);
  const target = moments[count - 1];
  const undone: number[] = [];
  for (let moment = moments.at(-1); moment !== target; moment = moment.earlier) {
    // On a branch that was left: the stretches that led away from it are undone one by one.
    if (!moment) return allSince(stretches, count);
    undone.unshift(moment.at);
  }
  return { undone: undone.map((at) => stretches[at]!), since: stretches.slice(undone[0] ?? count) };
}

export function allSince(stretches: readonly Stretch[], count: number): Undoing {
  const since = stretches.slice(count);
  return { undone: since.filter(({ before }) => before !== ""), since };
}

/** For each stretch, the moment after it; undefined if nothing has been changed. */
function momentsAfter(stretches: readonly Stretch[], journal: TimelineJournal): (Moment | undefined)[] {
  const moments: (Moment | undefined)[] = [];
  const rewinds: number[] = [];
  const append = (earlier: Moment | undefined, from: number, to: number): Moment | undefined => {
    let moment = earlier;
    for (let at = from; at <= to; at++) if (stretches[at]!.before !== "") moment = { at, earlier: moment };
    return moment;
  };
  for (const [i, { rewind, after, isPartial }] of stretches.entries()) {
    if (rewind) rewinds.push(i);
    const takenBack = rewind?.takesBack === undefined ? undefined : rewinds[rewind.takesBack];
    const isWhole = rewind?.files === true && after !== undefined && !isPartial;
    if (takenBack !== undefined && rewind?.files)
      moments.push(isWhole ? moments[takenBack - 1] : append(moments[takenBack - 1], takenBack, i));
    else if (isWhole && (rewind.to === null || journal.has(rewind.to)))
      moments.push(moments[stretchesUpTo(stretches.slice(0, i), journal, rewind.to) - 1]);
    else moments.push(append(moments[i - 1], i, i));
  }
  return moments;
}
