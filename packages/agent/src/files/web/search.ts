// What a search of the web asks for and gives back, and what the tool `web_search` needs from the host: the engines that can be asked here.

import type { Billed } from "../../contract/billed.ts";
import type { WebGate } from "./gate/types.ts";

export const RECENCIES = ["day", "week", "month", "year"] as const;
/** How old pages may be that a search finds. */
export type Recency = (typeof RECENCIES)[number];

/** What a search asks for. */
export interface SearchQuery {
  readonly query: string;
  /** Only pages that are no older than this. */
  readonly recency?: Recency | undefined;
  /** How many sources to give. */
  readonly limit?: number | undefined;
  /** For engines in which a model writes the answer. */
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
  /** How many results the engine looks at. */
  readonly numSearchResults?: number | undefined;
}

/** One page that was found. */
export interface SearchSource {
  readonly title: string;
  readonly url: string;
  readonly snippet?: string | undefined;
  /** For people: "2 days ago", or the date. */
  readonly age?: string | undefined;
  /** No search listed it: a model wrote it into its answer, and the query may have told it what to write. */
  readonly isWritten?: true | undefined;
}

/** The words of a page that the answer rests on. */
export interface Citation {
  readonly url: string;
  readonly title?: string | undefined;
  readonly text: string;
}

/** What a search gives: an answer, sources, or both. */
export interface SearchAnswer {
  readonly answer?: string | undefined;
  readonly sources: readonly SearchSource[];
  readonly citations?: readonly Citation[] | undefined;
  /** Further questions that the engine suggests. */
  readonly related?: readonly string[] | undefined;
  /** What the engine really searched for, where a model chose the words. */
  readonly queries?: readonly string[] | undefined;
  readonly billed?: Billed | undefined;
}

/** One search engine with all that it needs to be asked. */
export interface SearchProvider {
  /** As people know it. */
  readonly name: string;
  /** Those that a search may go to. */
  readonly hosts: readonly string[];
  /** The user chose it: by a setting, a key, or the model they use. */
  readonly isChosen: boolean;
  /** Throws a ToolFailure that says in one line why there is no answer. It keeps a deadline of its own. */
  search(query: SearchQuery, gate: WebGate, signal: AbortSignal): Promise<SearchAnswer>;
}

/** The engines of a session. */
export interface WebSearch {
  /** Those that can be asked now, in the order in which they are. */
  engines(): Promise<readonly SearchProvider[]>;
  /** The user agreed to an engine that they had not chosen: it is not asked about again. */
  accept(engine: SearchProvider): void;
}

declare module "../../contract/tool.ts" {
  interface ToolServices {
    readonly webSearch?: WebSearch;
  }
}
