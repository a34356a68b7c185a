// The query and result of a web search, and what the tool `web_search` needs from the host: the available engines.

import type { Billed } from "../../contract/billed.ts";
import type { WebGate } from "./gate/types.ts";

export const RECENCIES = ["day", "week", "month", "year"] as const;
/** Maximum age of the pages that a search finds. */
export type Recency = (typeof RECENCIES)[number];

/** A search query. */
export interface SearchQuery {
  readonly query: string;
  /** Only pages that are not older than this. */
  readonly recency?: Recency | undefined;
  /** Number of sources to return. */
  readonly limit?: number | undefined;
  /** For engines in which a model writes the answer. */
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
  /** Number of results that the engine considers. */
  readonly numSearchResults?: number | undefined;
}

/** A page that was found. */
export interface SearchSource {
  readonly title: string;
  readonly url: string;
  readonly snippet?: string | undefined;
  /** For display: "2 days ago", or the date. */
  readonly age?: string | undefined;
  /** No search listed it: a model wrote it into its answer, perhaps because the query told it to. */
  readonly isWritten?: true | undefined;
}

/** The passage of a page that the answer is based on. */
export interface Citation {
  readonly url: string;
  readonly title?: string | undefined;
  readonly text: string;
}

/** The result of a search: an answer, sources, or both. */
export interface SearchAnswer {
  readonly answer?: string | undefined;
  readonly sources: readonly SearchSource[];
  readonly citations?: readonly Citation[] | undefined;
  /** Further questions that the engine suggests. */
  readonly related?: readonly string[] | undefined;
  /** The queries that were really sent, if a model chose the words. */
  readonly queries?: readonly string[] | undefined;
  readonly billed?: Billed | undefined;
}

/** A search engine, ready for queries. */
export interface SearchProvider {
  /** Its common name. */
  readonly name: string;
  /** The hosts that a search may contact. */
  readonly hosts: readonly string[];
  /** The user chose it: by a setting, a key, or the model they use. */
  readonly isChosen: boolean;
  /** Throws a ToolFailure that says in one line why there is no answer. It enforces its own deadline. */
  search(query: SearchQuery, gate: WebGate, signal: AbortSignal): Promise<SearchAnswer>;
}

/** The engines of a session. */
export interface WebSearch {
  /** The available engines, in the order in which they are tried. */
  engines(): Promise<readonly SearchProvider[]>;
  /** The user agreed to an engine that they had not chosen; they are not asked about it again. */
  accept(engine: SearchProvider): void;
}

declare module "../../contract/tool.ts" {
  interface ToolServices {
    readonly webSearch?: WebSearch;
  }
}
