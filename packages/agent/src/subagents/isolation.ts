// A child that works apart from its parent's files: it gets its place before it starts, and its work lands when it has ended. How that is
// done is the host's.

import { messageOf } from "@lathe/llm";
import { NO_USAGE } from "../budget/ledger.ts";
import type { BatchTask } from "../contract/subagents.ts";
import { ToolFailure } from "../contract/tool.ts";
import type { ExecutionEnvironment } from "../env/types.ts";
import type { InputOutcome } from "../events/types.ts";
import type { Child, Run } from "./child.ts";
import { resultOf } from "./result.ts";
import type { AgentType, ChildSession, Isolation, ParentSession } from "./types.ts";

/** What the task says counts before what the kind says. */
export function worksApart({ options }: ParentSession, { isolation = "none" }: AgentType, task: BatchTask): boolean {
  const isWanted = task.isolated ?? isolation !== "none";
  if (isWanted && !options.isolate)
    throw new ToolFailure("Agents cannot work apart from your files here. Omit isolated, or do it yourself.");
  return isWanted;
}

/** What is done there stays there. */
export const placeOfHost = (env: ExecutionEnvironment): Isolation => ({ env, land: async () => ({ text: "" }) });

export async function isolate(child: Child, { controller }: Run, parent: ParentSession): Promise<void> {
  const { env, options, ledger } = parent;
  const { agentId } = child.facts.header;
  try {
    child.isolation = await options.isolate?.({ agentId, type: child.type, env, signal: controller.signal });
  } catch (error) {
    ledger.settle(agentId, NO_USAGE, 0, 0);
    throw new ToolFailure(`The agent ${agentId} cannot be isolated: ${messageOf(error)}`);
  }
}

/** What does not land goes back to its author, once. */
export async function land(child: Child, session: ChildSession, first: InputOutcome): Promise<InputOutcome> {
  let ended = first;
  for (let isSecond = false; child.isolation; isSecond = true) {
    const { status } = await resultOf(child, ended);
    const { text, again } = await child.isolation.land({ isDone: status === "completed" });
    child.landed = text;
    if (again === undefined || isSecond) break;
    child.landed = undefined;
    child.completion?.begin();
    ended = await session.submit(again);
  }
  return ended;
}
