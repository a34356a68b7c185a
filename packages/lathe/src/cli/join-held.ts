// Joins a session that another process holds, if that process lets others in; otherwise the session stays refused.

import type { InputContent } from "@lathe/agent";
import { type Attached, attach } from "../doors/attach/attach.ts";
import { terminalClient } from "../doors/attach/terminal-client.ts";
import { joinLocally } from "../doors/local/local-door.ts";
import { homePaths } from "../platform/home/paths.ts";
import type { Machine } from "../platform/machine/machine.ts";
import type { CliOptions } from "../platform/options/option-table.ts";
import { type ExitCode, usageError } from "../platform/usage/exit.ts";
import { idOf } from "../sessions/find.ts";
import type { SessionHeld } from "../sessions/which-journal.ts";

/** These options configure a new run; a session that is already open has its own. */
const OF_ONE_RUN = [
  "output-schema",
  "run-id",
  "record",
  "model",
  "permission-mode",
  "worktree",
  "system-prompt",
  "append-system-prompt",
  "max-turns",
  "max-cost",
  "max-time",
] as const satisfies readonly (keyof CliOptions)[];

/** `prompts` came with the command. */
export async function joinHeld(held: SessionHeld, machine: Machine, prompts: readonly string[]): Promise<ExitCode> {
  const attached = await joinDoor(held, machine);
  machine.stdout.write("Another process has this session open. You have joined it there.\n");
  return attach(attached, machine, prompts);
}

/** For runs without a terminal: those that print, and those driven over stdin. */
export async function runInHeld(
  held: SessionHeld,
  machine: Machine,
  options: CliOptions,
  prompts: readonly InputContent[],
): Promise<ExitCode> {
  if (machine.env["LATHE_RPC_JOINS"] === "0") throw held;
  const attached = await joinDoor(held, machine);
  try {
    const misplaced = OF_ONE_RUN.find((name) => options[name] !== undefined);
    if (misplaced !== undefined)
      throw usageError(
        `--${misplaced} has no effect on a session that another process has open. Leave it out, or add --fork to work in a copy.`,
      );
    if (options.mode === "rpc") {
      const { rpcAtDoor } = await import("../doors/attach/rpc-at-door.ts");
      return await rpcAtDoor(attached, machine);
    }
    const { printAtDoor } = await import("../doors/attach/print-at-door.ts");
    machine.stderr.write("lathe: Another process has this session open. The prompt is sent there.\n");
    return await printAtDoor(attached, machine, { prompts, isJson: options.mode === "json" });
  } finally {
    await attached.door.close();
  }
}

async function joinDoor(held: SessionHeld, machine: Machine): Promise<Attached> {
  const { doors } = homePaths(machine.env, machine.userHome);
  const isTerminal = machine.stdin.isTTY && machine.stdout.isTTY;
  const terminal = terminalClient(machine);
  const client = isTerminal ? terminal : { ...terminal, name: `program ${machine.pid}`, kind: "program" as const };
  const door = await joinLocally(doors, idOf(held.path), client);
  if (!door) throw held;
  return { door, client };
}
