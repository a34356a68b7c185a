// What the web faces need from the host. Without it they are not offered.

import type { FetchLimits } from "./fetch-page.ts";

/** What the web tools work with. */
export interface WebServices {
  readonly fetch?: Partial<FetchLimits> | undefined;
}

declare module "../../contract/tool.ts" {
  interface ToolServices {
    readonly web?: WebServices;
  }
}
