// What the web faces need from the host. Without it they are not offered.

import type { FetchLimits } from "./fetch-page.ts";

export interface SearchHit {
  readonly title: string;
  readonly url: string;
  readonly snippet?: string;
}

/** One search engine; the host brings it with its own key. */
export interface SearchProvider {
  readonly name: string;
  search(
    query: string,
    options: { readonly maxResults: number; readonly signal: AbortSignal },
  ): Promise<readonly SearchHit[]>;
}

export interface WebServices {
  readonly fetch?: Partial<FetchLimits>;
  readonly search?: SearchProvider;
}

declare module "../../contract/tool.ts" {
  interface ToolServices {
    readonly web?: WebServices;
  }
}
