// The interface of a search engine: two queries over a tree, with the same results from every engine.

import type { GlobOptions, GlobResult, GrepOptions, GrepResult } from "../types.ts";

/** Which program searches: ripgrep, our own code, or ripgrep if it is available. */
export type SearchEngine = "auto" | "ripgrep" | "builtin";

export interface Search {
  /** `path` is absolute; result paths are relative to `base` when inside it. */
  grep(pattern: string, path: string, base: string, options: GrepOptions): Promise<GrepResult>;
  glob(pattern: string, path: string, base: string, options: GlobOptions): Promise<GlobResult>;
}

export const DEFAULT_GREP_RESULTS = 100;
