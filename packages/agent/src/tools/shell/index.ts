import { type CommandOutcome, runCommand } from "../../ops/run/run-command.ts";
import { timeoutNotice } from "../../process/processes.ts";
import { type ArgsOf, flag, integer, optional, parameters, text } from "../params.ts";
import { type ToolContext, type ToolDef, ToolFailure, type ToolResult } from "../types.ts";
import description from "./description.md";

const params = {
  command: text("The command, as you would type it in bash"),
  timeout_ms: optional(integer("Milliseconds the command may take", { minimum: 1 })),
  description: optional(text("What the command does, in a few words, for the person watching")),
  background: optional(flag("Start it and return at once with a job id")),
};

export const shellTool: ToolDef<ArgsOf<typeof params>> = {
  name: "shell",
  label: "Run",
  description: description.trim(),
  schema: parameters(params),
  tier: "exec",
  replay: "never",
  // The command has its own deadline.
  timeoutMs: 0,
  async execute({ command, timeout_ms, background }, context) {
    if (background) return startJob(command, context);
    return shellResult(command, await runCommand(command, context, { timeoutMs: timeout_ms, name: "shell" }));
  },
};

function shellResult(command: string, outcome: CommandOutcome): ToolResult {
  const output = outcome.output === "" || outcome.output.endsWith("\n") ? outcome.output : `${outcome.output}\n`;
  const more = outcome.artifact
    ? `[${outcome.outputBytes} bytes in all; the whole output is in artifact://${outcome.artifact.id}]\n`
    : "";
  return {
    content: [{ kind: "text", text: output + more + ending(outcome) }],
    details: { command, exitCode: outcome.exitCode, duration: outcome.durationMs, timedOut: outcome.timedOut },
    isError: outcome.exitCode !== 0 || outcome.timedOut,
    effects: outcome.timedOut || outcome.aborted ? "unknown" : "done",
    ...(outcome.artifact ? { artifact: outcome.artifact } : {}),
  };
}

function ending(outcome: CommandOutcome): string {
  if (outcome.timedOut) return timeoutNotice(outcome.timeoutMs);
  if (outcome.aborted) return `[interrupted after ${outcome.durationMs} ms]`;
  if (outcome.signal) return `[ended by ${outcome.signal}, ${outcome.durationMs} ms]`;
  return `[exit code: ${outcome.exitCode}, ${outcome.durationMs} ms]`;
}

function startJob(command: string, context: ToolContext): ToolResult {
  const { jobs } = context.services;
  if (!jobs || !context.env.startCommand) {
    throw new ToolFailure("Background commands cannot run here. Run the command without background.");
  }
  const job = jobs.start(command, context.env.startCommand.bind(context.env));
  return {
    content: [
      {
        kind: "text",
        text: `Started job ${job.id}. Read its output with job_output, end it with job_stop. It is ended with the session.`,
      },
    ],
    details: { command, jobId: job.id },
    effects: "done",
  };
}
