// A server's state in one line, for users and the model.

import type { UsableServer } from "./language-servers.ts";

export function stateOf({ server, off }: UsableServer): string {
  if (!server) return `off: ${off}`;
  const why = server.live?.complaint ?? server.why;
  return why === undefined ? server.state : `${server.state}: ${why}`;
}
