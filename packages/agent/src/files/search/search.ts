// Searches files, trees, globs, archives and addresses for a regular expression, one page of files at a time.

import { type CallScope, ToolFailure } from "../../contract/tool.ts";
import { EnvError } from "../../world/env/types.ts";
import { forEachBounded } from "../edit/bounded-concurrency.ts";
import { type Excerpt, excerptOf, type SearchContext } from "./content.ts";
import { withPattern } from "./pattern.ts";
import { placesOf } from "./places.ts";
import { rememberedSearches, type SearchList } from "./remembered-searches.ts";
import { type Shown, showExcerpts } from "./show.ts";
import { type Found, type Search, searchPlace, searchSource } from "./sources.ts";

declare module "../../contract/tool.ts" {
  interface ToolServices {
    /** Context lines around a match; 1 before and 3 after if absent. */
    readonly searchContext?: SearchContext;
  }
}

export const FILES_PER_PAGE = 20;
const MATCHES_PER_FILE = 20;
const MATCHES_OF_ONE_FILE = 200;
/** Maximum number of files in the list of a search. */
const MOST_FILES = 2_000;
const MOST_BYTES = 50 << 10;
const CONTEXT: SearchContext = { before: 1, after: 3 };

export interface SearchQuery {
  readonly pattern: string;
  readonly paths: readonly string[];
  readonly caseInsensitive: boolean;
  readonly gitignore: boolean;
  /** Number of files to skip, in list order. */
  readonly skip: number;
  /** The search fails after this time: pages are cut from the whole list, so an incomplete search shows nothing. */
  readonly timeoutMs: number;
}

export interface SearchPage {
  readonly shown: Shown;
  readonly excerpts: readonly Excerpt[];
  readonly around: SearchContext;
  /** Maximum number of matching lines per file. */
  readonly perFile: number;
  /** Number of files in the whole list. */
  readonly total: number;
  readonly isCapped: boolean;
  /** `skip` of the next page; absent on the last one. */
  readonly next?: number | undefined;
  /** Files of this page that matched when the list was made, but no longer do. */
  readonly gone: readonly string[];
  readonly missing: readonly string[];
}

export async function searchPage(query: SearchQuery, scope: CallScope): Promise<SearchPage> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), query.timeoutMs);
  try {
    return await pageOf(query, { ...scope, signal: AbortSignal.any([scope.signal, late.signal]) });
  } catch (error) {
    if (!late.signal.aborted || scope.signal.aborted) throw error;
    throw new ToolFailure(
      `The search took longer than ${query.timeoutMs / 1000} s and was ended. Name a narrower directory, a file or a glob.`,
    );
  } finally {
    clearTimeout(timer);
  }
}

async function pageOf(query: SearchQuery, scope: CallScope): Promise<SearchPage> {
  const { places, missing } = await placesOf(query.paths, scope);
  const around = scope.services.searchContext ?? CONTEXT;
  const isSingle = places.every(({ kind }) => kind === "file") && places.length === 1;
  const perFile = isSingle ? MATCHES_OF_ONE_FILE : MATCHES_PER_FILE;
  const { skip, timeoutMs, ...asked } = query;
  const key = JSON.stringify(asked);
  return explainFailure(() =>
    withPattern(query.pattern, async (pattern) => {
      const { caseInsensitive, gitignore } = query;
      const search: Search = { pattern, caseInsensitive, gitignore, perFile, most: MOST_FILES };
      const known = skip === 0 ? undefined : rememberedSearches(scope.services)?.get(key);
      const { list, found } = known
        ? { list: known, found: await searchListed(known, skip, search, scope) }
        : await searchAnew(query.paths, key, skip, search, scope);
      const present = found.flatMap((one) => one ?? []);
      const excerpts: Excerpt[] = [];
      await forEachBounded([...present.entries()], async ([index, one]) => {
        excerpts[index] = await excerptOf(one, search, around, scope);
      });
      const shown = showExcerpts(excerpts, around, MOST_BYTES);
      const page = list.sources.slice(skip, skip + FILES_PER_PAGE);
      // The space was used up before the page was complete: the next page begins with the first file that is not shown.
      const firstLeft = present[shown.files];
      const used = firstLeft ? page.findIndex(({ source }) => source === firstLeft.source) : page.length;
      const next = skip + used;
      return {
        shown,
        excerpts: excerpts.slice(0, shown.files),
        around,
        perFile,
        total: list.sources.length,
        isCapped: list.isCapped,
        next: next < list.sources.length ? next : undefined,
        gone: page.slice(0, used).flatMap(({ source }, index) => (found[index] ? [] : source.path)),
        missing,
      };
    }),
  );
}

/** The page's part of an existing list, with its current matches. */
function searchListed(
  list: SearchList,
  skip: number,
  search: Search,
  scope: CallScope,
): Promise<(Found | undefined)[]> {
  return Promise.all(
    list.sources.slice(skip, skip + FILES_PER_PAGE).map(async ({ source, within }) => {
      const found = await searchSource(source, search, within, scope);
      return found && { ...found, source };
    }),
  );
}

async function searchAnew(
  paths: readonly string[],
  key: string,
  skip: number,
  search: Search,
  scope: CallScope,
): Promise<{ list: SearchList; found: Found[] }> {
  const { places } = await placesOf(paths, scope);
  const all = new Map<string, Found>();
  let isCapped = false;
  for (const place of places) {
    const one = await searchPlace(place, search, scope);
    isCapped ||= one.isCapped;
    // A file that two paths lead to is listed once.
    for (const found of one.found) if (!all.has(found.source.path)) all.set(found.source.path, found);
  }
  const found = [...all.values()].slice(0, MOST_FILES);
  const list: SearchList = {
    sources: found.map(({ source, within }) => ({ source, within })),
    isCapped: isCapped || all.size > MOST_FILES,
  };
  rememberedSearches(scope.services)?.set(key, list);
  return { list, found: found.slice(skip, skip + FILES_PER_PAGE) };
}

async function explainFailure<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof EnvError ? new ToolFailure(error.message) : error;
  }
}
