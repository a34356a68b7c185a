// websocket.ts for browsers: their sockets cannot send the credential, so answers always come over HTTP.

import type { ClientDeps } from "../types/adapter.ts";
import type { WiringInput } from "./wiring.ts";

export function withWebsocket({ deps }: WiringInput): ClientDeps {
  return deps;
}
