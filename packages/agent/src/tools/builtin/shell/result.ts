// Parts that all shell tools share: the preview of a command and the text about its outcome.

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

/** `shows`: the arguments that the preview shows in full. */
export async function commandPreview(
  command: string,
  { directory, isOutside }: { readonly directory: string; readonly isOutside: boolean },
  shows: readonly string[],
  env: ExecutionEnvironment,
): Promise<Preview> {
  const where = isOutside ? `outside the sandbox, in ${directory}` : `in ${directory}`;
  // The bar separates lines of the command from the arguments below, whatever they contain.
  return {
    lines: [
      { text: where, kind: "note" },
      ...command.split("\n").map((text) => ({ text: `│ ${text}` })),
      ...(await lostRepositoryNotes(command, directory, env)),
    ],
    shows,
  };
}

/** The result of a command that has ended, with the tool's own `text`. */
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

/** The result of a command that the user sent to the background, with the output as the tool shows it. */
export function detachedResult(command: string, outcome: BackgroundOutcome, output = outcome.output): ToolResult {
  return {
    content: [{ kind: "text", text: endedLine(output) + backgroundNote(outcome) }],
    details: { command, jobId: outcome.job.id },
    effects: "done",
  };
}

/** Starts a command as a job at once. Its whole output is kept. */
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

/** Ends the text with a newline, so that the next one starts its own line. */
export const endedLine = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);
