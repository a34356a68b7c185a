// A team as text for users.

import { printableLine } from "../../sessions/list.ts";
import type { TeamState, TeamWorker } from "./state.ts";

/** A worker's state in one line, with what the user can do about it. */
export function workerLine(worker: TeamWorker): string {
  return printableLine(`${worker.id}: ${STATE_TEXTS[worker.state](worker)}`);
}

const STATE_TEXTS: Readonly<Record<TeamWorker["state"], (worker: TeamWorker) => string>> = {
  planned: ({ task }) => task,
  starting: () => "starting",
  working: ({ task }) => `working: ${task}`,
  asking: () => "has a question. Answer it in its pane.",
  interrupted: () => "was interrupted. Tell it in its pane how to go on, or end it there with /quit.",
  landing: ({ verdict }) => `has finished${verdict === undefined ? "" : ` (${verdict})`}; landing its work`,
  done: ({ files = [] }) => (files.length === 0 ? "done; no file was changed" : `done; landed ${files.join(", ")}`),
  conflict: ({ conflicts = [], patch }) =>
    `nothing was applied, because the project has changed in ${conflicts
      .map(({ path, line }) => `${path}${line === undefined ? "" : `:${line}`}`)
      .join(", ")}.${keptText(patch)}`,
  failed: ({ problem = "It failed.", patch }) => `failed. ${problem}${keptText(patch)}`,
  stopped: ({ patch }) => `stopped.${keptText(patch)}`,
};

// --3way refuses files with uncommitted changes, and other workers' landed work is uncommitted.
const keptText = (patch: string | undefined): string =>
  patch === undefined ? "" : ` Its work is kept: git apply --reject ${patch}`;

/** The whole team, with a line per worker. */
export function teamText(team: TeamState): string {
  const head = `Team ${team.id} (${team.state}), ${team.workers.length === 1 ? "1 worker" : `${team.workers.length} workers`}`;
  return [head, ...team.workers.map((worker) => `  ${workerLine(worker)}`)].join("\n");
}

/** For the leader's model: tells it that files have changed. */
export const teamNews = (team: TeamState): string =>
  `The user ran these workers with \`lathe team\`. Changes that landed are in the project's files.\n${teamText(team)}`;
