// Opens the session of this terminal to others: what `/serve` does, and the local door of a session in a tmux pane that
// we started. Loaded on use.

import type { SessionOpener } from "../conversation/commands/serve-command.ts";
import type { SharedPerson } from "../conversation/shared-person.ts";
import type { SharedDoor } from "../doors/door/shared-door.ts";
import type { TeamAnswers } from "../doors/local/listen.ts";
import type { OpenedToOthers } from "../doors/serve/serve-here.ts";
import type { TeamLeader } from "../doors/team/leader.ts";
import type { WorkerSide } from "../doors/team/member.ts";
import type { Machine } from "../platform/machine/machine.ts";
import type { CliOptions } from "../platform/options/option-table.ts";

export function sessionOpener(machine: Machine, person: SharedPerson, options: CliOptions): SessionOpener {
  let opened: OpenedToOthers | undefined;
  let door: SharedDoor | undefined;
  let team: TeamLeader | undefined;
  let worker: WorkerSide | undefined;
  let leaves = async (): Promise<void> => {};
  const stop = async (): Promise<boolean> => {
    const closing = opened;
    opened = undefined;
    await closing?.close();
    return closing !== undefined;
  };
  return {
    begin: async (conversation) => {
      if (!machine.paneStarter) return;
      const { keepWork, openPaneDoor } = await import("../doors/tmux/pane-door.ts");
      const { member } = machine.paneStarter;
      const answer: TeamAnswers = async (wish) => {
        if (member) {
          const { WorkerSide } = await import("../doors/team/member.ts");
          worker ??= new WorkerSide(machine, conversation, member);
          return worker.answer(wish);
        }
        const { TeamLeader } = await import("../doors/team/leader.ts");
        team ??= new TeamLeader({ machine, conversation, options });
        return team.answer(wish);
      };
      door = await openPaneDoor(machine, conversation, person, answer);
      if (member) leaves = () => keepWork(machine, conversation);
    },
    end: async () => {
      await stop();
      await team?.close();
      await worker?.close();
      await leaves();
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
