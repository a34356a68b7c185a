// Line selectors at the end of a path or address: `a.ts:10-12`, `a.ts:5-7,20+2`, `a.ts:40`, `a.ts:raw`,
// `a.ts:10-12:raw`, `a.ts:conflicts`, `a.ts:chars=1-5000`. Text in, ranges out.

import { ToolFailure } from "../../contract/tool.ts";

/** Lines by number. */
export interface LineRange {
  /** 1-based. */
  readonly first: number;
  /** Inclusive; absent: as far as one read goes. */
  readonly last?: number;
}

/** The requested part of a text, and how it is shown. */
export interface Selector {
  /** The text alone, without header and line numbers. */
  readonly raw: boolean;
  /** Empty if no lines were named. */
  readonly ranges: readonly LineRange[];
  /** Only the unresolved regions of a merge. */
  readonly conflicts: boolean;
  /** Characters instead of lines, for lines that are too long: UTF-16 code units, as in output limits. */
  readonly chars?: LineRange;
}

/** A path text that ends like a selector, split in two. */
export interface Selected {
  readonly path: string;
  /** Parsed on demand: an invalid selector throws a ToolFailure, but what looks like one may be part of a name. */
  selector(): Selector;
}

const RANGE = String.raw`L?\d+(?:-(?:L?\d+)?|\+\d+)?`;
const RANGES = `${RANGE}(?:,${RANGE})*`;
const SUFFIX = new RegExp(`^(.+?)(?:(:conflicts)|:chars=(\\d+-?\\d*)|(?::(${RANGES}))?(:raw)?(?::(${RANGES}))?)$`, "s");

/** Undefined if the text does not end like a selector. */
export function splitSelector(text: string): Selected | undefined {
  const [, path, conflicts, chars, before, raw, after] = SUFFIX.exec(text) ?? [];
  if (path === undefined || path === text || (before !== undefined && after !== undefined)) return undefined;
  return {
    path,
    selector: () => ({
      raw: raw !== undefined,
      conflicts: conflicts !== undefined,
      ...(chars === undefined ? {} : { chars: parseRange(chars) }),
      ranges: ((before ?? after)?.split(",") ?? []).map(parseRange).sort((a, b) => a.first - b.first),
    }),
  };
}

function parseRange(text: string): LineRange {
  const [, start, dash, end, count] = /^L?(\d+)(?:(-)(?:L?(\d+))?|\+(\d+))?$/.exec(text) ?? [];
  const first = Number(start);
  if (first === 0) throw new ToolFailure("Line selector 0 is invalid; lines are 1-indexed. Use :1.");
  if (count !== undefined) {
    if (Number(count) === 0) throw new ToolFailure(`Line selector ${text} selects no line. Use :${first}+1.`);
    return { first, last: first + Number(count) - 1 };
  }
  if (dash === undefined || end === undefined) return { first };
  if (Number(end) < first) throw new ToolFailure(`Line selector ${text} ends before it begins. Use :${end}-${first}.`);
  return { first, last: Number(end) };
}

/** Sorted ranges within `total` lines, each with some context if it is bounded; touching ranges are merged. */
export function withSurroundings(
  ranges: readonly LineRange[],
  total: number,
  around: { readonly before: number; readonly after: number },
): { first: number; last: number }[] {
  const result: { first: number; last: number }[] = [];
  for (const range of ranges) {
    if (range.first > total) continue;
    const first = Math.max(1, range.first - around.before);
    const last = Math.min(total, range.last === undefined ? total : range.last + around.after);
    const previous = result.at(-1);
    if (previous && first <= previous.last + 1) previous.last = Math.max(previous.last, last);
    else result.push({ first, last });
  }
  return result;
}
