// A coordinator of one namespace: the parts that the others share.

import { homePaths } from "../../platform/home/paths.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import type { DoorClient } from "../door/door.ts";
import { Tmux } from "../tmux/tmux.ts";
import { allowedPath, type Configuration } from "./configuration.ts";
import { EventJournal } from "./event-journal.ts";
import { SessionRecords } from "./session-record.ts";
import type { SessionFacts } from "./state.ts";

/** The parts of the machine that a coordinator needs. */
export type CoordinatorMachine = Pick<Machine, "env" | "userHome" | "pid" | "host" | "deps">;

export interface Coordinator {
  readonly machine: CoordinatorMachine;
  readonly configuration: Configuration;
  readonly journal: EventJournal;
  readonly records: SessionRecords;
  readonly tmux: Tmux;
  /** Folder of the local doors. */
  readonly doors: string;
}

/** The coordinator as a client of doors. */
export const COORDINATOR: DoorClient = {
  name: "coordinator",
  kind: "program",
  scopes: new Set(["read", "prompt", "approve"]),
};

/** With `looks`, nothing is created or changed. */
export const openCoordinator = (
  machine: CoordinatorMachine,
  configuration: Configuration,
  { looks = false } = {},
): Coordinator => ({
  ...{ machine, configuration },
  journal: looks ? EventJournal.look(configuration, machine) : EventJournal.open(configuration, machine),
  records: new SessionRecords(machine),
  tmux: new Tmux(machine.env),
  doors: homePaths(machine.env, machine.userHome).doors,
});

/** Whether to give work to this session: the operator may no longer allow what was allowed when it started. */
export function mayWorkIn({ configuration }: Coordinator, { cwd }: SessionFacts): boolean {
  if (!configuration.mutations.has("sessions")) return false;
  try {
    allowedPath(configuration, cwd);
    return true;
  } catch {
    return false;
  }
}
