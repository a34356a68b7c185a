// A session that another process holds is joined through that process, where it lets others in; else it stays refused.

import { attach } from "../doors/attach/attach.ts";
import { terminalClient } from "../doors/attach/terminal-client.ts";
import { joinLocally } from "../doors/local/local-door.ts";
import { homePaths } from "../platform/home/paths.ts";
import type { Machine } from "../platform/machine/machine.ts";
import type { ExitCode } from "../platform/usage/exit.ts";
import { idOf } from "../sessions/find.ts";
import type { SessionHeld } from "../sessions/which-journal.ts";

/** `prompts`: what the user had given with the command. */
export async function joinHeld(held: SessionHeld, machine: Machine, prompts: readonly string[]): Promise<ExitCode> {
  const { doors } = homePaths(machine.env, machine.userHome);
  const client = terminalClient(machine);
  const door = await joinLocally(doors, idOf(held.path), client);
  if (!door) throw held;
  machine.stdout.write("Another process has this session open. You have joined it there.\n");
  return attach({ door, client }, machine, prompts);
}
