// Glob patterns over relative paths, compiled once.

import picomatch from "picomatch";
import { EnvError } from "../types.ts";

export interface PathGlob {
  /** The fixed directory before the first wildcard, or "". */
  readonly base: string;
  /** The pattern after `base`. */
  readonly rest: string;
  /** Takes a `/`-separated path relative to the search root joined with `base`. */
  readonly matches: (path: string) => boolean;
}

export function compileGlob(pattern: string): PathGlob {
  checkGlob(pattern);
  const scanned = picomatch.scan(pattern.endsWith("/") ? `${pattern}**` : pattern);
  const base = scanned.base.replace(/\\(.)/g, "$1");
  const { glob } = scanned;
  // A pattern without wildcards is a path, whose last part must match.
  const slash = base.lastIndexOf("/");
  const [directory, rest] =
    glob !== ""
      ? [base, glob]
      : slash === -1
        ? ["", scanned.base]
        : [base.slice(0, slash) || "/", scanned.base.slice(scanned.base.lastIndexOf("/") + 1)];
  return { base: directory, rest, matches: picomatch(rest, { dot: true, nonegate: true }) };
}

/** The directory that a pattern searches, relative to where it is used; a pattern may lead out of that. */
export function globDirectory(pattern: string): string {
  return compileGlob(pattern).base;
}

/**
 * A file filter as in `rg --glob`: without a slash it matches only the name, a leading slash anchors it, a leading `!`
 * excludes.
 */
export function compileFilter(filter: string): (path: string) => boolean {
  const negated = filter.startsWith("!");
  const glob = negated ? filter.slice(1) : filter;
  const pattern = glob.replace(/^\.?\//, "");
  checkGlob(pattern);
  const matches = picomatch(pattern, {
    dot: true,
    nonegate: true,
    basename: !glob.startsWith("/") && !pattern.includes("/"),
  });
  return negated ? (path) => !matches(path) : matches;
}

/** The part of a pattern that a file name alone can be checked against; undefined if there is none. */
export function nameGlob(pattern: string): string | undefined {
  if (pattern.startsWith("!") || /[{(][^)}]*\//.test(pattern) || /[!@+*?]\(/.test(pattern)) return undefined;
  const name = pattern.slice(pattern.lastIndexOf("/") + 1);
  // ripgrep ends the name of a type at a colon.
  return name === "" ||
    name.includes(":") ||
    name.includes("**") ||
    name.includes("..") ||
    name.includes(",") !== name.includes("{")
    ? undefined
    : name;
}

function checkGlob(pattern: string): void {
  const fault = globFault(pattern);
  if (fault === undefined) return;
  const message = `Bad glob pattern "${pattern}": ${fault}. Escape literal brackets with a backslash or correct the pattern.`;
  throw new EnvError("bad_pattern", message);
}

function globFault(pattern: string): string | undefined {
  if (pattern === "") return "it is empty";
  if (/^\/+$/.test(pattern)) return "it matches the whole disk; name a directory";
  let braces = 0;
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i];
    if (char === "\\") i++;
    else if (char === "{") braces++;
    else if (char === "}" && --braces < 0) return "unmatched }";
    else if (char === "[") {
      const end = pattern.indexOf("]", i + (/^\[[!^]?\]?/.exec(pattern.slice(i))?.[0].length ?? 1));
      if (end === -1) return "unclosed [";
      i = end;
    }
  }
  return braces > 0 ? "unclosed {" : undefined;
}
