// What `/serve` does, loaded when it is first used.

import type { SessionOpener } from "../conversation/commands/serve-command.ts";
import type { SharedPerson } from "../conversation/shared-person.ts";
import type { OpenedToOthers } from "../doors/serve/serve-here.ts";
import type { Machine } from "../platform/machine/machine.ts";

export function sessionOpener(machine: Machine, person: SharedPerson): SessionOpener {
  let opened: OpenedToOthers | undefined;
  return {
    open: async (conversation) => {
      const { openToOthers } = await import("../doors/serve/serve-here.ts");
      opened ??= await openToOthers({ machine, version: LATHE_VERSION, conversation, person });
      return opened.invite();
    },
    stop: async () => {
      const closing = opened;
      opened = undefined;
      await closing?.close();
      return closing !== undefined;
    },
  };
}
