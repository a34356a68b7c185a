// The files that searches of this session have found, so that their pages go through one list: a file that changes between two pages
// neither moves the others nor comes twice.

import type { LineSpan } from "../../env/types.ts";
import type { Source } from "./sources.ts";

declare module "../../contract/tool.ts" {
  interface ToolServices {
    /** Absent: each page of a search looks at the files anew. */
    readonly searches?: RememberedSearches;
  }
}

export interface SearchList {
  readonly sources: readonly { readonly source: Source; readonly within?: readonly LineSpan[] | undefined }[];
  /** More files match than are listed. */
  readonly isCapped: boolean;
}

const MOST_SEARCHES = 16;

/** The lists of the last searches, by what was asked. */
export class RememberedSearches {
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
