// This terminal, as other clients at a door see it. Only the user can reach the socket, so it has all scopes.

import type { Machine } from "../../platform/machine/machine.ts";
import type { DoorClient } from "../door/door.ts";

export const terminalClient = ({ pid }: Machine): DoorClient => ({
  name: `terminal ${pid}`,
  kind: "terminal",
  scopes: new Set(["read", "prompt", "approve", "admin"]),
});
