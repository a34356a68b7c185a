// Of which stretches the files of a moment are made. A rewind that brought everything back leads to an earlier moment, and taking
// it back leads to the moment before it: what happened in between is then no part of the files any more. So the writer who had changed a
// file before a rewind and its redo is still the one who has changed it after them.

import { type Stretch, stretchesUpTo, type TimelineJournal } from "./timeline.ts";

/** The last stretch that the files are made of, and what they were made of before it. */
interface Moment {
  readonly at: number;
  readonly earlier: Moment | undefined;
}

export interface Undoing {
  /** Oldest first. */
  readonly undone: readonly Stretch[];
  /** All that has happened since the first of them. */
  readonly since: readonly Stretch[];
}

/** What has to be undone so that the files are those of `entryId`. */
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
    // On a branch that was left: what led away from it is undone, step by step.
    if (!moment) return allSince(stretches, count);
    undone.unshift(moment.at);
  }
  return { undone: undone.map((at) => stretches[at]!), since: stretches.slice(undone[0] ?? count) };
}

export function allSince(stretches: readonly Stretch[], count: number): Undoing {
  const since = stretches.slice(count);
  return { undone: since.filter(({ before }) => before !== ""), since };
}

/** For each stretch, the moment after it; undefined: nothing has been changed. */
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
