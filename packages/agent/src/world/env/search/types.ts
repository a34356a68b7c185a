// What a search engine is: two questions over a tree, the same answers from every engine.

import type { GlobOptions, GlobResult, GrepOptions, GrepResult } from "../types.ts";

/** Which program searches: ripgrep, our own code, or ripgrep where it is there. */
export type SearchEngine = "auto" | "ripgrep" | "builtin";

export interface Search {
  /** `path` is absolute; result paths are relative to `base` when inside it. */
  grep(pattern: string, path: string, base: string, options: GrepOptions): Promise<GrepResult>;
  glob(pattern: string, path: string, base: string, options: GlobOptions): Promise<GlobResult>;
}

export const DEFAULT_GREP_RESULTS = 100;
