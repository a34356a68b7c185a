// The files that searches of this session have found, so that all pages use the same list: a file that changes between
// two pages neither shifts the others nor appears twice.

import type { ToolServices } from "../../contract/tool.ts";
import type { GrepRange } from "../../world/env/types.ts";
import type { ShownFiles } from "../edit/shown-files.ts";
import type { Source } from "./sources.ts";

export interface SearchList {
  readonly sources: readonly { readonly source: Source; readonly within?: readonly GrepRange[] | undefined }[];
  /** More files match than are listed. */
  readonly isCapped: boolean;
}

const MOST_SEARCHES = 16;

/** The lists of the last searches, by their parameters. */
class RememberedSearches {
  readonly #lists = new Map<string, SearchList>();

  set(query: string, list: SearchList): void {
    this.#lists.delete(query);
    this.#lists.set(query, list);
    const [oldest] = this.#lists.keys();
    if (oldest !== undefined && this.#lists.size > MOST_SEARCHES) this.#lists.delete(oldest);
  }

  get(query: string): SearchList | undefined {
    return this.#lists.get(query);
  }
}

/** The record of shown files identifies a session, and its searches are freed with it. */
const bySession = new WeakMap<ShownFiles, RememberedSearches>();

/** Undefined if nothing is recorded: each page then searches again. */
export function rememberedSearches({ shownFiles }: ToolServices): RememberedSearches | undefined {
  if (!shownFiles) return undefined;
  const known = bySession.get(shownFiles) ?? new RememberedSearches();
  bySession.set(shownFiles, known);
  return known;
}
