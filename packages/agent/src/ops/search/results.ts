// The shape of search results: how a path and a line are shown, and the order of files.

import { isAbsolute, relative } from "node:path/posix";
import type { GlobResult } from "../../env/types.ts";

/** Longer lines are cut, so that one minified file cannot fill a result. */
const LINE_LIMIT = 1000;

export interface MatchLine {
  readonly number: number;
  readonly text: string;
  readonly isMatch: boolean;
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
  for (const { number, text, isMatch } of lines) {
    if (withContext && previous !== undefined && number > previous + 1) out.push("--");
    previous = number;
    const mark = isMatch ? ":" : "-";
    out.push(`${path}${mark}${number}${mark}${cutLine(text)}`);
  }
  return out;
}

function cutLine(text: string): string {
  if (text.length <= LINE_LIMIT) return text;
  const end = /[\uD800-\uDBFF]/.test(text[LINE_LIMIT - 1]!) ? LINE_LIMIT - 1 : LINE_LIMIT;
  return `${text.slice(0, end)} [... ${text.length - end} more characters]`;
}

export interface TimedPath {
  readonly path: string;
  readonly mtimeMs: number;
}

export function newestFirst(found: TimedPath[], maxResults = Number.POSITIVE_INFINITY): GlobResult {
  found.sort((a, b) => b.mtimeMs - a.mtimeMs || byPath(a.path, b.path));
  return { paths: found.slice(0, maxResults).map(({ path }) => path), truncated: found.length > maxResults };
}
