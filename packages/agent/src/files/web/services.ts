// What the web faces need from the host. Without it they are not offered.

import type { FetchLimits } from "./fetch-page.ts";
import type { WebGate } from "./gate/types.ts";

/** What the web tools work with. */
export interface WebServices {
  /** Everything that leaves for the web passes it. */
  readonly gate: WebGate;
  readonly fetch?: Partial<FetchLimits> | undefined;
}

declare module "../../contract/tool.ts" {
  interface ToolServices {
    readonly web?: WebServices;
  }
}
