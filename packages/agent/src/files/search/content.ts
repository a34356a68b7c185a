// The text around a match, and the tag by which an edit can refer to it. Shown lines and tag always belong to the same
// content: a file that changed after it was searched gets no tag.

import type { CallScope } from "../../contract/tool.ts";
import type { GrepLine } from "../../world/env/types.ts";
import { EnvError } from "../../world/env/types.ts";
import { DocumentError, documentText } from "../edit/document.ts";
import type { Found, Search } from "./sources.ts";

/** More than the record of shown files keeps: a larger file is shown without a tag. */
const MOST_BYTES = 8 << 20;

/** Number of lines around the matches. */
export interface SearchContext {
  readonly before: number;
  readonly after: number;
}

/** Matches with everything that can be shown of them. */
export interface Excerpt {
  readonly path: string;
  readonly tag?: string | undefined;
  readonly hits: readonly GrepLine[];
  readonly hasMore: boolean;
  /** The known lines, by number. */
  lineAt(number: number): string | undefined;
}

export async function excerptOf(
  found: Found,
  search: Search,
  around: SearchContext,
  scope: CallScope,
): Promise<Excerpt> {
  const { source, hits, hasMore } = found;
  const base = { path: source.path, hits, hasMore };
  const text = found.text ?? (await fileText(source.path, scope));
  const lines = text?.split("\n").map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
  if (text === undefined || !lines || !hits.every((hit) => isSameLine(hit, lines[hit.number - 1]))) {
    return { ...base, ...(await knownLines(found, search, around, scope)) };
  }
  if (lines.at(-1) === "") lines.pop();
  const key = source.kind === "file" ? scope.env.resolve(source.path) : found.editKey;
  const tag = key === undefined ? undefined : scope.services.shownFiles?.record(key, text);
  return { ...base, tag, lineAt: (number) => lines[number - 1] };
}

/** Undefined if it is too large, not text, or gone. */
async function fileText(path: string, { env, paths }: CallScope): Promise<string | undefined> {
  try {
    const stat = await env.stat(path);
    if (stat?.kind !== "file" || stat.isSymlink || stat.size > MOST_BYTES) return undefined;
    const bytes = await env.readBytes(stat.realPath, undefined, { ifFile: stat.file });
    const text = documentText(bytes);
    paths.shown.add(stat.realPath);
    return text;
  } catch (error) {
    if (error instanceof DocumentError || error instanceof EnvError) return undefined;
    throw error;
  }
}

/**
 * Engines replace bytes of other encodings in different ways, and shorten long lines; everything else must be equal.
 */
function isSameLine({ text, isShortened }: GrepLine, line: string | undefined): boolean {
  if (line === undefined) return false;
  return isShortened || text === line || plain(text) === plain(line);
}

const plain = (text: string): string => text.replace(/[^\x20-\x7e]/g, "");

/** The matches that the search returned, with the current lines around them. */
async function knownLines(
  { source, hits, within }: Found,
  { pattern, caseInsensitive, perFile }: Search,
  around: SearchContext,
  { env, signal }: CallScope,
): Promise<Pick<Excerpt, "lineAt"> & Partial<Pick<Excerpt, "hits">>> {
  const options = { ...around, within, caseInsensitive, multiline: pattern.multiline, perFile, maxResults: 1, signal };
  const isThere = source.kind === "file" && (await env.stat(source.path))?.kind === "file";
  const [file] = isThere ? (await env.grep(pattern.text, source.path, options)).files : [];
  const lines = new Map((file?.lines ?? hits).map((line) => [line.number, line.text]));
  return {
    lineAt: (number) => lines.get(number),
    ...(file ? { hits: file.lines.filter(({ isMatch }) => isMatch) } : {}),
  };
}
