// Finds files by name, newest first, in trees, globs, archives and addresses. At a deadline it returns what was found
// so far.

import { type Access, type CallScope, ToolFailure } from "../../contract/tool.ts";
import { EnvError } from "../../world/env/types.ts";
import { forEachBounded } from "../edit/bounded-concurrency.ts";
import { type Place, placesOf } from "../search/places.ts";
import { formatFile } from "../target/target.ts";

/** Limit of the whole list, which is longer than what is shown. */
const MOST = 10_000;

const WHOLE_DISK = "The whole disk cannot be searched for files. Name a directory.";

export interface FindQuery {
  readonly paths: readonly string[];
  readonly hidden: boolean;
  readonly gitignore: boolean;
  readonly timeoutMs: number;
  /** The number shown: only this many of each path must be merged in order with the others. */
  readonly limit: number;
}

export interface FoundPaths {
  /** Newest first; folders follow the files and end in a slash. */
  readonly paths: readonly string[];
  /** There are more matches than listed. */
  readonly isCut: boolean;
  readonly hasTimedOut: boolean;
  readonly missing: readonly string[];
}

export async function findAccess(paths: readonly string[], scope: CallScope): Promise<readonly Access[]> {
  const { places } = await placesOf(cleanPaths(paths), scope);
  return places.map((place): Access => {
    if (place.kind === "address") return { kind: "address", url: place.url, write: false };
    return { kind: "read", path: place.kind === "parts" ? place.target.located.real : place.real };
  });
}

export async function findPaths(query: FindQuery, scope: CallScope): Promise<FoundPaths> {
  const { places, missing } = await placesOf(cleanPaths(query.paths), scope);
  if (places.some((place) => place.kind === "tree" && place.real === "/")) throw new ToolFailure(WHOLE_DISK);
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), query.timeoutMs);
  try {
    const lists: (readonly string[])[] = [];
    let isCut = false;
    for (const place of places) {
      const { paths, truncated } = await pathsOf(place, query, late.signal, scope);
      lists.push(paths);
      isCut ||= truncated;
    }
    const paths = lists.length === 1 ? lists[0]! : await mergeLists(lists, query.limit, scope);
    return { paths, isCut, hasTimedOut: late.signal.aborted, missing };
  } catch (error) {
    throw error instanceof EnvError ? new ToolFailure(error.message) : error;
  } finally {
    clearTimeout(timer);
  }
}

/** Backslashes that escape nothing are Windows path separators. */
function cleanPaths(paths: readonly string[]): readonly string[] {
  return paths.map((path) => {
    if (/^\/+$/.test(path.trim())) throw new ToolFailure(WHOLE_DISK);
    return path.replace(/\\(?![*?[\]{}\\])/g, "/");
  });
}

async function pathsOf(
  place: Place,
  { hidden, gitignore }: FindQuery,
  enough: AbortSignal,
  scope: CallScope,
): Promise<{ readonly paths: readonly string[]; readonly truncated: boolean }> {
  const { env, signal, services } = scope;
  switch (place.kind) {
    case "tree": {
      const { root, glob } = place;
      const pattern = glob === undefined ? "**/*" : glob.startsWith("/") ? glob.slice(1) : `**/${glob}`;
      const directories = glob !== undefined;
      const options = { hidden, gitignore, directories, maxResults: MOST, enough, signal };
      return env.glob(pattern, root, options);
    }
    case "file": {
      const inside = root(place.root, env.workingDirectory());
      return { paths: [inside], truncated: false };
    }
    case "parts": {
      const { target, format } = place;
      const entries = (await format.list?.(formatFile(target.located, scope))) ?? [];
      const separator = target.separator || (format.separators[0] ?? ":");
      const named = entries.filter(({ inner }) => isBelow(inner, target.inner));
      const pathOf = (inner: string) => `${target.located.path}${inner === "" ? "" : separator}${inner}`;
      return { paths: named.map(({ inner }) => pathOf(inner)), truncated: false };
    }
    case "address": {
      const listed = place.url.endsWith("://") ? await services.schemes?.list(place.url, signal) : undefined;
      return { paths: listed?.map(({ url }) => url) ?? [place.url], truncated: false };
    }
  }
}

const root = (path: string, cwd: string): string => (path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path);

const isBelow = (inner: string, wanted: string): boolean =>
  wanted === "" || inner === wanted || inner.startsWith(wanted.endsWith("/") ? wanted : `${wanted}/`);

/** Merges several lists, each path once: the first ones of each list in order with the others, then the rest. */
async function mergeLists(lists: readonly (readonly string[])[], limit: number, { env, services }: CallScope) {
  const heads = [...new Set(lists.flatMap((list) => list.slice(0, limit)))];
  const times = new Map<string, number>();
  await forEachBounded(heads, async (path) => {
    const isFile = !path.endsWith("/") && !services.schemes?.handles(path);
    times.set(path, isFile ? ((await env.stat(path))?.mtimeMs ?? 0) : -1);
  });
  heads.sort((a, b) => times.get(b)! - times.get(a)!);
  return [...new Set([...heads, ...lists.flat()])];
}
