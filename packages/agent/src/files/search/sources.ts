// Finds matches: in trees and files with the environment's search engine, in parts of files and behind addresses with
// ours.

import { type CallScope, ToolFailure } from "../../contract/tool.ts";
import { withinTime } from "../../world/env/search/bounded-match.ts";
import { compilePattern } from "../../world/env/search/regex.ts";
import { textMatches } from "../../world/env/search/text-matches.ts";
import type { GrepFile, GrepLine, GrepRange } from "../../world/env/types.ts";
import { shownKey } from "../edit/shown-files.ts";
import type { Format, FormatEntry } from "../target/format.ts";
import { type FileTarget, formatFile } from "../target/target.ts";
import type { SearchPattern } from "./pattern.ts";
import type { Place } from "./places.ts";

/** A text that can be searched again by itself. */
export type Source =
  /** `path` as in results, relative to the working directory. */
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "part"; readonly path: string; readonly target: FileTarget; readonly inner: string }
  | { readonly kind: "address"; readonly path: string };

/** A source with its matches. */
export interface Found {
  readonly source: Source;
  /** Only matching lines. */
  readonly hits: readonly GrepLine[];
  /** There are more matching lines than these. */
  readonly hasMore: boolean;
  /** Text of a source that is not a file of the environment. */
  readonly text?: string | undefined;
  /** The key under which an edit of it would be recorded; absent if it cannot be edited. */
  readonly editKey?: string | undefined;
  readonly within?: readonly GrepRange[] | undefined;
}

export interface Search {
  readonly pattern: SearchPattern;
  readonly caseInsensitive: boolean;
  readonly gitignore: boolean;
  /** Maximum number of matching lines per source. */
  readonly perFile: number;
  /** Maximum number of sources. */
  readonly most: number;
}

/** Files sorted by path. `isCapped`: there are more than `most`. */
export interface FoundList {
  readonly found: readonly Found[];
  readonly isCapped: boolean;
}

export async function searchPlace(place: Place, search: Search, scope: CallScope): Promise<FoundList> {
  switch (place.kind) {
    case "tree":
    case "file": {
      if (place.kind === "file" && place.format) throw notSearched(place.root, place.format);
      const options = place.kind === "tree" ? { globFilter: place.glob } : { within: place.within };
      const { files, truncated } = await grep(place.root, search, options, scope);
      const found = files.map((file) => foundFile(file, search, place.kind === "file" ? place.within : undefined));
      return { found, isCapped: truncated };
    }
    case "parts":
      return searchParts(place, search, scope);
    case "address":
      return searchAddresses(place, search, scope);
  }
}

/** Searches the same source again; undefined if it has no more matches. */
export async function searchSource(
  source: Source,
  search: Search,
  within: readonly GrepRange[] | undefined,
  scope: CallScope,
): Promise<Found | undefined> {
  switch (source.kind) {
    case "file": {
      if ((await scope.env.stat(source.path))?.kind !== "file") return undefined;
      const { files } = await grep(source.path, search, { within }, scope);
      const [file] = files;
      return file && foundFile(file, search, within);
    }
    case "part": {
      const entry = (await entriesOf(source.target, scope)).find(({ inner }) => inner === source.inner);
      return entry && searchEntry(entry, source.target, search, within, scope);
    }
    case "address":
      return searchAddress(source.path, search, within, scope);
  }
}

const grep = (
  path: string,
  { pattern, caseInsensitive, gitignore, perFile, most }: Search,
  options: { readonly globFilter?: string | undefined; readonly within?: readonly GrepRange[] | undefined },
  { env, signal }: CallScope,
) =>
  env.grep(pattern.text, path, {
    ...options,
    caseInsensitive,
    multiline: pattern.multiline,
    gitignore,
    hidden: true,
    perFile,
    maxResults: most,
    signal,
  });

function foundFile({ path, hits, lines }: GrepFile, { perFile }: Search, within?: readonly GrepRange[]): Found {
  return { source: { kind: "file", path }, hits: lines, hasMore: hits > perFile, within };
}

type Texts = { readonly within?: readonly GrepRange[] | undefined };

async function searchParts(place: Place & { kind: "parts" }, search: Search, scope: CallScope): Promise<FoundList> {
  const { target, within } = place;
  const entries = await entriesOf(target, scope);
  if (entries.length === 0 && target.inner !== "") {
    throw new ToolFailure(`Path not found: ${target.path}`);
  }
  if (within && entries.length > 1) {
    throw new ToolFailure(`${target.path}: lines can be selected only in a single text; ${entries.length} are inside.`);
  }
  const found: Found[] = [];
  for (const entry of entries) {
    scope.signal.throwIfAborted();
    const one = await searchEntry(entry, target, search, within, scope);
    if (one) found.push(one);
    if (found.length > search.most) return { found: found.slice(0, search.most), isCapped: true };
  }
  return { found, isCapped: false };
}

/** "No matches" would be wrong, because the file was not searched. */
const notSearched = (path: string, { name }: Format): ToolFailure =>
  new ToolFailure(
    `${path} is in a ${name} file, which is not searched as text. Read it instead, with a query or a part.`,
  );

/** The part of a file's content that is meant, sorted by name: one text, a folder of them, or all. */
async function entriesOf(target: FileTarget, scope: CallScope): Promise<readonly FormatEntry[]> {
  const { format, inner, separator, located } = target;
  const file = formatFile(located, scope);
  const all = (await format?.list?.(file)) ?? [];
  const sorted = all.toSorted((a, b) => (a.inner < b.inner ? -1 : 1));
  if (inner === "") return sorted;
  const named = sorted.filter((entry) => entry.inner === inner || entry.inner === `/${inner}`);
  if (named.length > 0) return named;
  const folder = inner.endsWith("/") ? inner : `${inner}/`;
  const below = sorted.filter((entry) => entry.inner.startsWith(folder));
  if (below.length > 0 || !format) return below;
  const content = await format.read(file, { inner, separator });
  if (content.kind !== "text") {
    if (format.list) return [];
    throw notSearched(target.path, format);
  }
  return [{ inner: content.inner, size: content.text.length, text: async () => content.text }];
}

async function searchEntry(
  entry: FormatEntry,
  target: FileTarget,
  search: Search,
  within: readonly GrepRange[] | undefined,
  scope: CallScope,
): Promise<Found | undefined> {
  const text = await entry.text();
  if (text === undefined) return undefined;
  scope.paths.shown.add(target.located.real);
  const separator = entry.inner === "" ? "" : target.separator || (target.format?.separators[0] ?? ":");
  const path = `${target.located.path}${separator}${entry.inner}`;
  const source: Source = { kind: "part", path, target, inner: entry.inner };
  const editKey = target.format?.parts ? shownKey(target.located.absolute, entry.inner) : undefined;
  return searchText(text, source, search, { within }, editKey);
}

async function searchAddresses(
  place: Place & { kind: "address" },
  search: Search,
  scope: CallScope,
): Promise<FoundList> {
  const { url, within } = place;
  const listed = /^[a-z][a-z0-9+.-]*:\/\/$/i.test(url)
    ? await scope.services.schemes?.list(url, scope.signal)
    : undefined;
  if (listed && within) throw new ToolFailure(`${url}: lines can be selected only at a single address.`);
  const found: Found[] = [];
  for (const one of listed?.map((entry) => entry.url).sort() ?? [url]) {
    scope.signal.throwIfAborted();
    const match = await searchAddress(one, search, within, scope);
    if (match) found.push(match);
    if (found.length > search.most) return { found: found.slice(0, search.most), isCapped: true };
  }
  return { found, isCapped: false };
}

async function searchAddress(
  url: string,
  search: Search,
  within: readonly GrepRange[] | undefined,
  scope: CallScope,
): Promise<Found | undefined> {
  const { services, signal, paths } = scope;
  if (!services.schemes) throw new ToolFailure(`${url} cannot be read here.`);
  const content = await services.schemes.read(url, signal, undefined, scope);
  const { bytes, mediaType, sourcePath, immutable, page } = content;
  if (page !== undefined) paths.pages.set(url, page);
  if (mediaType?.startsWith("image/")) return undefined;
  if (sourcePath !== undefined) paths.shown.add(sourcePath);
  const text = Buffer.from(bytes).toString("utf8");
  return searchText(text, { kind: "address", path: url }, search, { within }, immutable ? undefined : sourcePath);
}

function searchText(
  text: string,
  source: Source,
  { pattern, caseInsensitive, perFile }: Search,
  { within }: Texts,
  editKey: string | undefined,
): Found | undefined {
  const options = { caseInsensitive, multiline: pattern.multiline };
  const regex = compilePattern(pattern.text, options);
  const { hits, lines } = withinTime(pattern.text, () => textMatches(text, regex, { ...options, within }, perFile + 1));
  if (hits === 0) return undefined;
  return { source, hits: lines.slice(0, perFile), hasMore: hits > perFile, text, editKey, within };
}
