// Who else may use the session of this terminal: what `/serve` does, and the local door of a session in a pane of ours. Loaded when used.

import type { SessionOpener } from "../conversation/commands/serve-command.ts";
import type { SharedPerson } from "../conversation/shared-person.ts";
import type { SharedDoor } from "../doors/door/shared-door.ts";
import type { OpenedToOthers } from "../doors/serve/serve-here.ts";
import type { Machine } from "../platform/machine/machine.ts";

export function sessionOpener(machine: Machine, person: SharedPerson): SessionOpener {
  let opened: OpenedToOthers | undefined;
  let door: SharedDoor | undefined;
  const stop = async (): Promise<boolean> => {
    const closing = opened;
    opened = undefined;
    await closing?.close();
    return closing !== undefined;
  };
  return {
    begin: async (conversation) => {
      if (!machine.paneStarter) return;
      const { openPaneDoor } = await import("../doors/tmux/pane-door.ts");
      door = await openPaneDoor(machine, conversation, person);
    },
    end: async () => {
      await stop();
      await door?.close();
    },
    open: async (conversation) => {
      const { openToOthers } = await import("../doors/serve/serve-here.ts");
      opened ??= await openToOthers({ machine, version: LATHE_VERSION, conversation, person, door });
      return opened.invite();
    },
    stop,
  };
}
