// What the web tools need from the host. Without it they are not offered.

import type { FetchLimits } from "./fetch-page.ts";
import type { WebGate } from "./gate/types.ts";

/** What the web tools work with. */
export interface WebServices {
  /** Every request to the web passes through it. */
  readonly gate: WebGate;
  readonly fetch?: Partial<FetchLimits> | undefined;
  /** By origin. A token is sent only to its own origin. */
  readonly tokens?: Readonly<Record<string, string>> | undefined;
  /** Base address of a service that renders pages which need their scripts; if absent, no address is sent to one. */
  readonly reader?: string | undefined;
}

declare module "../../contract/tool.ts" {
  interface ToolServices {
    readonly web?: WebServices;
  }
}
