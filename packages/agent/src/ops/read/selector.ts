// Line selectors at the end of a path: `a.ts:10-12`, `a.ts:5-7,20+2`, `a.ts:40`, `a.ts:raw`, `a.ts:10-12:raw`. Text in, ranges out.

import { type CallScope, ToolFailure } from "../../contract/tool.ts";

export interface LineRange {
  /** 1-based. */
  readonly first: number;
  /** Included; absent: as far as one read goes. */
  readonly last?: number;
}

interface Selector {
  /** The text alone, without header and numbers. */
  readonly raw: boolean;
  /** Empty: no lines were named. */
  readonly ranges: readonly LineRange[];
}

export interface SelectedPath {
  readonly path: string;
  readonly selector?: Selector;
}

const RANGE = String.raw`L?\d+(?:-(?:L?\d+)?|\+\d+)?`;
const RANGES = `${RANGE}(?:,${RANGE})*`;
const SUFFIX = new RegExp(`^(.+?)(?::(${RANGES}))?(:raw)?(?::(${RANGES}))?$`, "s");

/** What the path names, and which lines of it. A file whose name ends like a selector is that file. */
export async function selectedPath(pathText: string, scope: CallScope): Promise<SelectedPath> {
  const [, path, before, raw, after] = SUFFIX.exec(pathText) ?? [];
  if (path === undefined || path === pathText || (before !== undefined && after !== undefined))
    return { path: pathText };
  // An address has its own grammar: a port, or the lines of an artifact.
  if (scope.services.schemes?.handles(pathText)) return { path: pathText };
  const { stat } = await scope.paths.locate(pathText);
  if (stat && stat.kind !== "dangling") return { path: pathText };
  const ranges = ((before ?? after)?.split(",") ?? []).map(parseRange).sort((a, b) => a.first - b.first);
  return { path, selector: { raw: raw !== undefined, ranges } };
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

/** Sorted ranges within `total` lines, each with a little around it where it is bounded; those that touch are one. */
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
