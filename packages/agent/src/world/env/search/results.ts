// The format of search results: how a path and a line are shown, and the order of files.

import { isAbsolute, relative } from "node:path/posix";
import type { GlobResult, GrepLine } from "../types.ts";

/** Longer lines are shortened, so that one minified file cannot fill a result. */
const LINE_LIMIT = 1000;
/** How much of a line is shown before a match that is far into it. */
const LEAD = 300;

/** In lines longer than this, the position of the match matters, because not every reader shows the whole line. */
const WIDE = 250;

/** A line as results hold it: a line that is far too long is shortened at once, to save memory. */
export function grepLine(
  number: number,
  text: string,
  isMatch: boolean,
  firstMatch: () => number | undefined,
): GrepLine {
  if (text.length <= WIDE) return { number, text, isMatch };
  const at = isMatch ? firstMatch() : undefined;
  const line: GrepLine = { number, text: shortLine(text, at), isMatch, ...(at === undefined ? {} : { at }) };
  return text.length > LINE_LIMIT ? { ...line, isShortened: true } : line;
}

export function shownPath(path: string, base: string): string {
  const inside = relative(base, path);
  return inside === "" || inside.startsWith("../") || inside === ".." || isAbsolute(inside) ? path : inside;
}

/** The prefix of a name in `directory` when its path is shown. */
export function shownPrefix(directory: string, base: string): string {
  if (directory === base) return "";
  const shown = shownPath(directory, base);
  return shown.endsWith("/") ? shown : `${shown}/`;
}

/** The order in which a sorted walk meets files: `a/x` before `a.txt`. */
export function byPath(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  let i = 0;
  while (i < shared && a.charCodeAt(i) === b.charCodeAt(i)) i++;
  if (i === shared) return a.length - b.length;
  if (a[i] === "/") return -1;
  return b[i] === "/" ? 1 : a.charCodeAt(i) - b.charCodeAt(i);
}

/** `path:12:text` for a match, `path-11-text` for context, `--` between lines that are not adjacent. */
export function contentLines(path: string, lines: readonly GrepLine[], withContext: boolean): string[] {
  const out: string[] = [];
  let previous: number | undefined;
  for (const { number, text, isMatch } of lines) {
    if (withContext && previous !== undefined && number > previous + 1) out.push("--");
    previous = number;
    const mark = isMatch ? ":" : "-";
    out.push(`${path}${mark}${number}${mark}${text}`);
  }
  return out;
}

/** The beginning of a line, or the part with the match if the beginning would not show it. */
function shortLine(text: string, at = 0): string {
  if (text.length <= LINE_LIMIT) return text;
  const start = at < LINE_LIMIT - LEAD ? 0 : avoidSplit(text, at - LEAD);
  const end = avoidSplit(text, start + LINE_LIMIT);
  const before = start === 0 ? "" : `[${start} characters before ...] `;
  const after = end === text.length ? "" : ` [... ${text.length - end} more characters]`;
  return before + text.slice(start, end) + after;
}

/** Moves the cut so that it does not split a surrogate pair. */
function avoidSplit(text: string, at: number): number {
  if (at >= text.length) return text.length;
  return /[\uDC00-\uDFFF]/.test(text[at] as string) ? at - 1 : at;
}

export interface TimedPath {
  readonly path: string;
  readonly mtimeMs: number;
}

/** Files newest first, then folders by name, up to the requested number. */
export function globResult(
  files: TimedPath[],
  folders: readonly string[],
  maxResults = Number.POSITIVE_INFINITY,
  isPartial = false,
): GlobResult {
  files.sort((a, b) => b.mtimeMs - a.mtimeMs || byPath(a.path, b.path));
  const paths = [...files.map(({ path }) => path), ...folders.toSorted(byPath).map((path) => `${path}/`)];
  return { paths: paths.slice(0, maxResults), truncated: isPartial || paths.length > maxResults };
}

/** The parent folders of these files. */
export function foldersOf(names: readonly string[]): string[] {
  const folders = new Set<string>();
  for (const name of names) {
    for (let end = name.lastIndexOf("/"); end > 0; end = name.lastIndexOf("/", end - 1)) {
      const folder = name.slice(0, end);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return [...folders];
}
