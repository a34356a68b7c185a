// What the web faces need from the host. Without it they are not offered.

import type { FetchLimits } from "./fetch-page.ts";
import type { WebGate } from "./gate/types.ts";

/** What the web tools work with. */
export interface WebServices {
  /** Everything that leaves for the web passes it. */
  readonly gate: WebGate;
  readonly fetch?: Partial<FetchLimits> | undefined;
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
