// A child that works in an isolated copy: it gets its copy before it starts, and its work lands when it has ended. The
// host implements both.

import { messageOf } from "@lathe/llm";
import type { InputOutcome } from "../../contract/events/types.ts";
import type { BatchTask } from "../../contract/subagents.ts";
import { ToolFailure } from "../../contract/tool.ts";
import type { ExecutionEnvironment } from "../../world/env/types.ts";
import type { Child, Run } from "./child.ts";
import type { ParentSession } from "./parent.ts";
import { NOTHING_SPENT } from "./records.ts";
import { resultOf } from "./result.ts";
import { mustStart } from "./starts.ts";
import type { AgentType, ChildSession, Isolation, LandedWork } from "./types.ts";

/** A task may request more isolation than its kind, never less. */
export function worksApart(
  { options }: ParentSession,
  { name, isolation = "none" }: AgentType,
  { isolated }: Pick<BatchTask, "isolated">,
): boolean {
  if (options.isApart) {
    if (!isolated) return false;
    throw new ToolFailure("You work on a copy yourself: agents that you start work in it. Omit isolated.");
  }
  const isWanted = isolated === true || isolation !== "none";
  if (!isWanted || options.isolate) return isWanted;
  throw new ToolFailure(
    isolated
      ? "Agents cannot work in isolated copies here. Omit isolated, or do it yourself."
      : `The agent ${name} works in an isolated copy, which is not possible here. Start another one, or do it yourself.`,
  );
}

/** For a place that the host owns: what is done there stays there. */
export const placeOfHost = (env: ExecutionEnvironment): Isolation => ({
  env,
  land: async () => ({ text: "", outcome: "nothing" }),
  close: async () => {},
});

export async function isolate(child: Child, signal: AbortSignal, parent: ParentSession): Promise<void> {
  const { env, options, ledger, conflicts } = parent;
  const { facts, type } = child;
  const { agentId } = facts.header;
  const about = { type, verify: verifyOf(child), task: facts.description ?? facts.task };
  try {
    child.isolation = await options.isolate?.({ agentId, ...about, env, conflicts, signal });
    child.view = child.isolation?.kind;
    mustStart(agentId, signal);
  } catch (error) {
    ledger.settle(agentId, NOTHING_SPENT);
    mustStart(agentId, signal);
    throw new ToolFailure(`The agent ${agentId} cannot be isolated: ${messageOf(error)}`);
  }
}

const verifyOf = ({ race, type }: Child): string | undefined => race?.verify ?? type?.verify;

/** Lands the work of a child. Work that does not land is sent back to it once. */
export async function land(child: Child, session: ChildSession, first: InputOutcome): Promise<InputOutcome> {
  const { isolation, run } = child;
  if (!isolation || !run) return first;
  const work = await attempt(child, isolation, run, session, first);
  if (work.again === undefined) {
    child.landed = work;
    return first;
  }
  child.completion?.begin();
  let second: InputOutcome | undefined;
  try {
    second = await session.submit(work.again);
    return second;
  } finally {
    child.landed = await attempt(child, isolation, run, session, second, true);
  }
}

async function attempt(
  child: Child,
  isolation: Isolation,
  { controller: { signal } }: Run,
  session: ChildSession,
  ended: InputOutcome | undefined,
  isLast = false,
): Promise<LandedWork> {
  const { agentId } = child.facts.header;
  // A child that asks a question has not ended: its parent should not find unfinished work landed when it answers.
  const isDone = ended !== undefined && !ended.awaiting && (await resultOf(child, ended)).status === "completed";
  const landed = await isolation.land({
    isDone,
    isLast,
    refusal: () => child.race?.lostBy(agentId),
    permit: (files) => session.beside.permitLanding({ agentId, files, verify: verifyOf(child) }, signal),
    signal,
  });
  if (landed.outcome === "landed") child.race?.recordWinner(agentId);
  return landed;
}

/** Called when the run is over or never began. */
export async function leave(child: Child, { warn }: Pick<ParentSession, "warn">, toldBy?: string): Promise<void> {
  try {
    await child.isolation?.close(toldBy);
  } catch (error) {
    warn(`the copy of agent ${child.facts.header.agentId} was not removed: ${messageOf(error)}`);
  }
  child.isolation = undefined;
}
