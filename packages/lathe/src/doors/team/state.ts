// A team as stored in the leader's journal: who works on what, where, and with what result. Plain data.

import type { JsonValue } from "@lathe/llm";
import { usageError } from "../../platform/usage/exit.ts";

/** Session fact of the leader that holds its last team. */
export const TEAM_FACT = "lathe:team";
/** Must change when the state changes its meaning. */
const TEAM_VERSION = 1;
/** The name of the leader in messages. */
export const LEADER = "Leader";
const MOST_WORKERS = 8;
const MOST_TASK_CHARS = 20_000;
const MOST_TITLE_CHARS = 200;

/**
 * `planned`: a dry run. `asking`: a question waits in its pane. `interrupted`: a user stopped it there, and may
 * continue. `done`: its work is in the project, or it changed nothing. `conflict`: the project has changed in the same
 * lines; its work is a patch.
 */
type WorkerState =
  | "planned"
  | "starting"
  | "working"
  | "asking"
  | "interrupted"
  | "landing"
  | "done"
  | "conflict"
  | "failed"
  | "stopped";

export interface TeamWorker {
  /** Its name in messages. */
  readonly id: string;
  /** The first line of its task. */
  readonly task: string;
  readonly state: WorkerState;
  /** Name of its isolated copy. */
  readonly view: string;
  readonly pane?: string;
  /** Its Lathe session. */
  readonly session?: string;
  /** The result of its checks. */
  readonly verdict?: string;
  /** Files of the project that its work has changed. */
  readonly files?: readonly string[];
  readonly conflicts?: readonly { readonly path: string; readonly line?: number; readonly message: string }[];
  /** File with work that did not land. */
  readonly patch?: string;
  /** Why it failed. */
  readonly problem?: string;
  /** What it has spent. */
  readonly spent?: { readonly usd: number; readonly turns: number };
}

/** What each worker may spend. */
export interface WorkerLimits {
  readonly usd?: number;
  readonly turns?: number;
  readonly calls?: number;
  readonly seconds?: number;
}

export interface TeamState {
  readonly version: typeof TEAM_VERSION;
  readonly id: string;
  readonly leader: string;
  readonly project: string;
  readonly startedAt: string;
  readonly state: "planned" | "running" | "done" | "failed" | "stopped";
  readonly limits: WorkerLimits;
  readonly workers: readonly TeamWorker[];
}

export interface TeamPlan {
  readonly id: string;
  readonly leader: string;
  readonly project: string;
  readonly startedAt: string;
  readonly limits: WorkerLimits;
}

/** One task for all workers, or one for each. */
export function assignments(tasks: readonly string[], wanted: number | undefined): readonly string[] {
  const given = tasks.map((task) => task.trim());
  const [first] = given;
  if (first === undefined || given.includes("")) throw usageError('Say what to do: lathe team "<task>" -n 2');
  const count = wanted ?? (given.length > 1 ? given.length : 2);
  if (!Number.isInteger(count) || count < 1 || count > MOST_WORKERS)
    throw usageError(`A team has 1 to ${MOST_WORKERS} workers: lathe team "<task>" -n 2`);
  if (given.length > 1 && given.length !== count)
    throw usageError(`There are ${given.length} tasks for ${count} workers. Give one task for all, or one for each.`);
  if (given.some((task) => task.length > MOST_TASK_CHARS))
    throw usageError(`A task has ${MOST_TASK_CHARS} characters at most. Put the rest into a file that it names.`);
  return given.length > 1 ? given : Array.from({ length: count }, () => first);
}

export function planTeam(plan: TeamPlan, tasks: readonly string[]): TeamState {
  return {
    version: TEAM_VERSION,
    ...plan,
    state: "planned",
    workers: tasks.map((task, at) => ({
      id: `Worker${at + 1}`,
      task: (task.split("\n")[0] ?? "").slice(0, MOST_TITLE_CHARS).toWellFormed(),
      state: "planned",
      view: `team-${plan.id}-${at + 1}`,
    })),
  };
}

const OVER: ReadonlySet<WorkerState> = new Set(["done", "conflict", "failed", "stopped"]);
export const isOver = ({ state }: TeamWorker): boolean => OVER.has(state);

/** The state of the team, given those of its workers. */
export function stateOfTeam(workers: readonly TeamWorker[]): TeamState["state"] {
  if (!workers.every(isOver)) return "running";
  if (workers.some(({ state }) => state === "stopped")) return "stopped";
  return workers.every(({ state }) => state === "done") ? "done" : "failed";
}

/**
 * The team of an earlier process; undefined if another version wrote it. If the leader was killed during work, the team
 * counts as stopped. `patchOf` finds the patch of an isolated copy.
 */
export function readTeam(
  fact: JsonValue | undefined,
  patchOf: (view: string) => string | undefined,
): TeamState | undefined {
  const team = fact as unknown as TeamState | undefined;
  if (team?.version !== TEAM_VERSION) return undefined;
  if (team.state !== "running") return team;
  const workers = team.workers.map((worker): TeamWorker => {
    if (isOver(worker)) return worker;
    const patch = patchOf(worker.view);
    return { ...worker, state: "stopped", ...(patch === undefined ? {} : { patch }) };
  });
  return { ...team, state: "stopped", workers };
}
