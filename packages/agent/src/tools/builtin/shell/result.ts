// What the faces of the shell have in common: how a command is shown before it runs, and what is told of it afterwards.

import type { Preview, ToolContext, ToolResult } from "../../../contract/tool.ts";
import type { ExecutionEnvironment } from "../../../world/env/types.ts";
import type { Job, Jobs } from "../../run/jobs.ts";
import {
  type BackgroundOutcome,
  backgroundNote,
  type CommandOutcome,
  closeWith,
  lazyArtifact,
} from "../../run/run-command.ts";
import { lostRepositoryNotes } from "./lost-repositories.ts";

/** `shows`: the arguments that it shows in full. */
export async function commandPreview(
  command: string,
  { directory, isOutside }: { readonly directory: string; readonly isOutside: boolean },
  shows: readonly string[],
  env: ExecutionEnvironment,
): Promise<Preview> {
  const where = isOutside ? `outside the sandbox, in ${directory}` : `in ${directory}`;
  // The bar tells lines of the command from the arguments below it, whatever they say.
  return {
    lines: [
      { text: where, kind: "note" },
      ...command.split("\n").map((text) => ({ text: `│ ${text}` })),
      ...(await lostRepositoryNotes(command, directory, env)),
    ],
    shows,
  };
}

/** Of a command that has ended; `text` as the face shows it. */
export function commandResult(command: string, outcome: CommandOutcome, text: string): ToolResult {
  return {
    content: [{ kind: "text", text }],
    details: {
      command,
      exitCode: outcome.exitCode,
      duration: outcome.durationMs,
      timedOut: outcome.timedOut,
      ...(outcome.changed.length > 0 ? { changedFiles: [...outcome.changed] } : {}),
    },
    isError: outcome.exitCode !== 0 || outcome.timedOut,
    effects: outcome.timedOut || outcome.aborted ? "unknown" : "done",
    ...(outcome.artifact ? { artifact: outcome.artifact } : {}),
  };
}

/** The result of a command that the user sent to the background; `output` as the tool shows it. */
export function detachedResult(command: string, outcome: BackgroundOutcome, output = outcome.output): ToolResult {
  return {
    content: [{ kind: "text", text: endedLine(output) + backgroundNote(outcome) }],
    details: { command, jobId: outcome.job.id },
    effects: "done",
  };
}

/** A command that becomes a job at once, with its whole output kept. */
export function startedJob(
  command: string,
  context: Pick<ToolContext, "env" | "openArtifact">,
  jobs: Jobs,
  options: object,
): Job {
  const spill = lazyArtifact(context, "job");
  const all = { ...options, interleaved: true, spill };
  const job = jobs.start(command, (text) => context.env.startCommand!(text, all), { spill });
  closeWith(job.handle, spill);
  return job;
}

/** What follows begins on a line of its own. */
export const endedLine = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);
