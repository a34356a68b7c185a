// websocket.ts for pages: their sockets cannot send the credential, so that answers always come over HTTP.

import type { ClientDeps } from "../types/adapter.ts";
import type { WiringInput } from "./wiring.ts";

export function withWebsocket({ deps }: WiringInput): ClientDeps {
  return deps;
}
