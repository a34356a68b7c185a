// Several agents with the same assignment: the first whose work passes the check lands, and the others are stopped.

import type { BatchRequest, BatchTask } from "../../contract/subagents.ts";
import { ToolFailure } from "../../contract/tool.ts";
import type { AgentType } from "./types.ts";

const MOST_RACERS = 8;

export class Race {
  readonly verify: string;
  /** Functions that stop each of them, by agent id. */
  readonly #racers = new Map<string, (why: string) => void>();
  #winner: string | undefined;

  constructor(verify: string) {
    this.verify = verify;
  }

  join(agentId: string, stop: (why: string) => void): void {
    this.#racers.set(agentId, stop);
  }

  /** Why this agent's work may no longer land. */
  lostBy(agentId: string): string | undefined {
    return this.#winner === undefined || this.#winner === agentId ? undefined : `${this.#winner} was first`;
  }

  recordWinner(agentId: string): void {
    this.#winner ??= agentId;
    for (const [racer, stop] of this.#racers)
      if (racer !== this.#winner) stop(`it lost the race: ${this.#winner} was first`);
  }
}

/** The tasks of a batch. A race is the same task several times. */
export function raceChildren(
  { race: count, verify, tasks }: BatchRequest,
  type: AgentType,
): { readonly tasks: readonly BatchTask[]; readonly race: Race | undefined } {
  if (count === undefined) {
    if (verify !== undefined) throw new ToolFailure("verify is for a race. Give race as well, or omit verify.");
    return { tasks, race: undefined };
  }
  // The check of the kind's file must pass as well.
  const checks = [...new Set([type.verify ?? "", verify ?? ""])].filter((command) => command.trim() !== "");
  const [first] = checks;
  if (first === undefined) throw new ToolFailure("A race needs verify: the command that decides who has won.");
  if (tasks.length !== 1) throw new ToolFailure("A race has one task: all agents work on the same assignment.");
  if (!Number.isInteger(count) || count < 2 || count > MOST_RACERS)
    throw new ToolFailure(`race is the number of agents, 2 to ${MOST_RACERS}.`);
  const task = { ...(tasks[0] as BatchTask), isolated: true };
  return {
    tasks: Array.from({ length: count }, () => task),
    race: new Race(checks.length === 1 ? first : allOf(checks)),
  };
}

/** Runs each command in its own shell, so that none of them can affect the next. */
const allOf = (commands: readonly string[]): string => commands.map((command) => `( ${command}\n)`).join(" && ");
