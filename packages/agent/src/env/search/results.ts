// The shape of search results: how a path and a line are shown, and the order of files.

import { isAbsolute, relative } from "node:path/posix";
import type { GlobResult } from "../types.ts";

/** Longer lines are shortened, so that one minified file cannot fill a result. */
const LINE_LIMIT = 1000;
/** What is shown before a match further on. */
const LEAD = 300;

export interface MatchLine {
  readonly number: number;
  readonly text: string;
  readonly isMatch: boolean;
  /** Where the first match begins; set for lines that are too long to show. */
  readonly at?: number;
}

export function shownPath(path: string, base: string): string {
  const inside = relative(base, path);
  return inside === "" || inside.startsWith("../") || inside === ".." || isAbsolute(inside) ? path : inside;
}

/** Order in which a sorted walk meets files: `a/x` before `a.txt`. */
export function byPath(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  let i = 0;
  while (i < shared && a.charCodeAt(i) === b.charCodeAt(i)) i++;
  if (i === shared) return a.length - b.length;
  if (a[i] === "/") return -1;
  return b[i] === "/" ? 1 : a.charCodeAt(i) - b.charCodeAt(i);
}

/** `path:12:text` for a match, `path-11-text` for context, `--` where lines are missing between them. */
export function contentLines(path: string, lines: readonly MatchLine[], withContext: boolean): string[] {
  const out: string[] = [];
  let previous: number | undefined;
  for (const { number, text, isMatch, at } of lines) {
    if (withContext && previous !== undefined && number > previous + 1) out.push("--");
    previous = number;
    const mark = isMatch ? ":" : "-";
    out.push(`${path}${mark}${number}${mark}${shortLine(text, at)}`);
  }
  return out;
}

export function isLong(text: string): boolean {
  return text.length > LINE_LIMIT;
}

/** The beginning, or the part that holds the match where it would not be seen there. */
function shortLine(text: string, at = 0): string {
  if (!isLong(text)) return text;
  const start = at < LINE_LIMIT - LEAD ? 0 : whole(text, at - LEAD);
  const end = whole(text, start + LINE_LIMIT);
  const before = start === 0 ? "" : `[${start} characters before ...] `;
  const after = end === text.length ? "" : ` [... ${text.length - end} more characters]`;
  return before + text.slice(start, end) + after;
}

/** Not between the halves of a pair. */
function whole(text: string, at: number): number {
  if (at >= text.length) return text.length;
  return /[\uDC00-\uDFFF]/.test(text[at] as string) ? at - 1 : at;
}

export interface TimedPath {
  readonly path: string;
  readonly mtimeMs: number;
}

export function newestFirst(found: TimedPath[], maxResults = Number.POSITIVE_INFINITY): GlobResult {
  found.sort((a, b) => b.mtimeMs - a.mtimeMs || byPath(a.path, b.path));
  return { paths: found.slice(0, maxResults).map(({ path }) => path), truncated: found.length > maxResults };
}
