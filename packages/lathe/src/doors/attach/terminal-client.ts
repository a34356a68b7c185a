// This terminal, as the others at a door see it. Whoever can reach the socket is the user, and may do everything.

import type { Machine } from "../../platform/machine/machine.ts";
import type { DoorClient } from "../door/door.ts";

export const terminalClient = ({ pid }: Machine): DoorClient => ({
  name: `terminal ${pid}`,
  kind: "terminal",
  scopes: new Set(["read", "prompt", "approve", "admin"]),
});
