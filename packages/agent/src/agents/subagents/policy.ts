// Which kinds of agents a session may start, and what a batch must contain. A refusal is one line that says what is
// possible.

import type { BatchRequest } from "../../contract/subagents.ts";
import { ToolFailure } from "../../contract/tool.ts";
import { nameProblem } from "./names.ts";
import type { ParentSession } from "./parent.ts";
import type { AgentType, Spawns } from "./types.ts";

/** More would be a mistake of the model, because each has a session of its own. */
const MOST_TASKS = 64;

/** The kind with this name. Throws for the model if it may not be started. */
export async function permittedType(parent: ParentSession, name: string): Promise<AgentType> {
  const types = (await parent.options.types?.()) ?? [];
  const type = typeNamed(types, name);
  if (!type) {
    const available = types.map((one) => one.name).filter((one) => refusal(parent, one) === undefined);
    const list = available.length === 0 ? "none" : available.join(", ");
    throw new ToolFailure(`Unknown agent ${JSON.stringify(name)}. Available: ${list}.`);
  }
  const refused = refusal(parent, type.name);
  if (refused !== undefined) throw new ToolFailure(refused);
  return type;
}

function typeNamed(types: readonly AgentType[], name: string): AgentType | undefined {
  return types.find((one) => one.name === name) ?? types.find((one) => one.aliases?.includes(name));
}

/** A child without a kind can do all that its parent can, so only a session that may start any agent may start it. */
export function permitPlain({ spawns }: ParentSession): void {
  if (spawns !== "*") throw new ToolFailure(`Cannot spawn an agent without a kind. Allowed: ${listSpawns(spawns)}.`);
}

function refusal({ options, spawns }: ParentSession, name: string): string | undefined {
  if (spawns !== "*" && !spawns.includes(name)) return `Cannot spawn '${name}'. Allowed: ${listSpawns(spawns)}.`;
  return options.refusal?.(name);
}

const listSpawns = (spawns: Exclude<Spawns, "*">): string => (spawns.length === 0 ? "none" : spawns.join(", "));

/** `name`: the caller's name for the work. */
export function mustSayWhat(work: string, name: string): void {
  if (work.trim() === "") throw new ToolFailure(`${name} is empty. Say what the agent should do.`);
}

/** Throws if a batch as a whole is invalid. */
export function checkBatch({ tasks }: BatchRequest): void {
  if (tasks.length === 0) throw new ToolFailure("There is no task. Give at least one with an assignment.");
  if (tasks.length > MOST_TASKS)
    throw new ToolFailure(`${tasks.length} tasks are too many for one call; give at most ${MOST_TASKS}.`);
  const seen = new Set<string>();
  for (const [index, { id, assignment }] of tasks.entries()) {
    mustSayWhat(assignment, `The assignment of task ${id ?? index + 1}`);
    if (id === undefined) continue;
    const problem = nameProblem(id);
    if (problem !== undefined) throw new ToolFailure(`Task ${index + 1}: ${problem}.`);
    if (seen.has(id.toLowerCase())) throw new ToolFailure(`Two tasks have the id ${id}. Give each its own id.`);
    seen.add(id.toLowerCase());
  }
}
