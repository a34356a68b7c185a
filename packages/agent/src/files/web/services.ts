// What the web faces need from the host. Without it they are not offered.

import type { FetchLimits } from "./fetch-page.ts";
import type { WebGate } from "./gate/types.ts";

/** One result of a web search. */
export interface SearchHit {
  readonly title: string;
  readonly url: string;
  readonly snippet?: string | undefined;
}

/** One search engine; the host brings it with its own key. */
export interface SearchProvider {
  readonly name: string;
  search(
    query: string,
    options: { readonly maxResults: number; readonly signal: AbortSignal },
  ): Promise<readonly SearchHit[]>;
}

/** What the web tools work with; without `search` there is no web search. */
export interface WebServices {
  /** Everything that leaves for the web passes it. */
  readonly gate: WebGate;
  readonly fetch?: Partial<FetchLimits> | undefined;
  readonly search?: SearchProvider | undefined;
  /** By origin. A token goes to its own origin alone. */
  readonly tokens?: Readonly<Record<string, string>> | undefined;
  /** Base address of a service that reads pages which need their scripts; absent: no address is given to one. */
  readonly reader?: string | undefined;
}

declare module "../../contract/tool.ts" {
  interface ToolServices {
    readonly web?: WebServices;
  }
}
