// The regions of a text with unresolved merge conflicts: merge, diff3 and zdiff3 style, with markers of any length.

/** The text between an opening and a closing marker. */
export interface ConflictRegion {
  /** 0-based line of the opening marker, and the line after the closing marker. */
  readonly start: number;
  readonly end: number;
  /** The whole text, markers included. */
  readonly text: string;
  readonly ours: ConflictSide;
  /** The common ancestor of both sides, if the conflict style includes it. */
  readonly base?: ConflictSide | undefined;
  readonly theirs: ConflictSide;
}

/** One version of a region. */
export interface ConflictSide {
  /** Git's name for it: a branch, a commit. */
  readonly label: string;
  /** Lines with their line ends. */
  readonly text: string;
}

const OPENING = /^(<{7,})(?: (.*))?$/;

/** `text` has "\n" endings. A region that is not closed does not count. */
export function conflictRegions(text: string): ConflictRegion[] {
  const lines = text.split(/(?<=\n)/);
  const regions: ConflictRegion[] = [];
  for (let at = 0; at < lines.length; at++) {
    const [, marker, label = ""] = OPENING.exec(bare(lines[at])) ?? [];
    const region = marker === undefined ? undefined : regionAt(lines, at, marker.length, label);
    if (!region) continue;
    regions.push(region);
    at = region.end - 1;
  }
  return regions;
}

/** Line numbers, from 1, of opening or closing markers outside any region, left by incomplete manual resolution. */
export function looseMarkers(text: string): number[] {
  const regions = conflictRegions(text);
  const isInside = (at: number) => regions.some(({ start, end }) => at >= start && at < end);
  return text.split("\n").flatMap((line, at) => (/^(?:<{7}|>{7})(?: |$)/.test(line) && !isInside(at) ? [at + 1] : []));
}

/** Whether this text has unresolved conflicts. */
export const hasConflicts = (text: string): boolean => conflictRegions(text).length > 0;

/**
 * Markers of another length belong to the merged content: the base of a recursive merge contains conflicts of its own.
 */
function regionAt(lines: readonly string[], start: number, length: number, label: string): ConflictRegion | undefined {
  const marks = {
    opening: "<".repeat(length),
    base: "|".repeat(length),
    middle: "=".repeat(length),
    closing: ">".repeat(length),
  };
  let baseAt: number | undefined;
  let middleAt: number | undefined;
  for (let at = start + 1; at < lines.length; at++) {
    const line = bare(lines[at]);
    if (isMark(line, marks.opening)) return undefined;
    if (middleAt === undefined && isMark(line, marks.base)) baseAt ??= at;
    else if (middleAt === undefined && line === marks.middle) middleAt = at;
    else if (middleAt !== undefined && isMark(line, marks.closing)) {
      const text = (from: number, to: number) => lines.slice(from, to).join("");
      const labelOf = (of: number) => bare(lines[of]).slice(length + 1);
      return {
        start,
        end: at + 1,
        text: text(start, at + 1),
        ours: { label, text: text(start + 1, baseAt ?? middleAt) },
        ...(baseAt === undefined ? {} : { base: { label: labelOf(baseAt), text: text(baseAt + 1, middleAt) } }),
        theirs: { label: labelOf(at), text: text(middleAt + 1, at) },
      };
    }
  }
  return undefined;
}

const isMark = (line: string, mark: string): boolean => line === mark || line.startsWith(`${mark} `);

const bare = (line: string | undefined): string => (line ?? "").replace(/\n$/, "");
