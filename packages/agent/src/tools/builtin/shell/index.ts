import { flag, integer, object, optional, type StaticFields, text } from "@lathe/llm/schema";
import { type Access, type ToolContext, type ToolDef, ToolFailure, type ToolResult } from "../../../contract/tool.ts";
import { loadGrammar } from "../../../policy/shell/grammar.ts";
import { timeoutNotice } from "../../../world/process/requests.ts";
import {
  COMMAND_ENV,
  type CommandOutcome,
  environmentNote,
  refuseEmpty,
  runCommand,
  wentToBackground,
  wholeOutputNote,
} from "../../run/run-command.ts";
import { changedNote } from "../../run/shown-changes.ts";
import { SHELL_OUTPUT } from "../output.ts";
import { commandAccess, loadAnalysis } from "./access.ts";
import { shellCard } from "./card.ts";
import description from "./description.md";
import { commandPreview, commandResult, detachedResult, endedLine, startedJob } from "./result.ts";

/** Part of every shell tool, whatever its other parameters are called. */
export const outsideSandbox = {
  outside_sandbox: optional(flag("If commands are sandboxed: run this one outside; the user is asked first")),
};

const params = {
  command: text("The command, as you would type it in bash"),
  timeout_ms: optional(integer({ description: "Milliseconds the command may take", minimum: 1 })),
  description: optional(text("What the command does, in a few words, for the person watching")),
  background: optional(flag("Start it and return at once with a job id")),
  ...outsideSandbox,
};

type Args = StaticFields<typeof params>;
type Judged = Pick<Args, "command" | "outside_sandbox">;

/** What the shell of every profile declares. */
export const SHELL_MEANING: Required<
  Pick<ToolDef<Judged>, "access" | "prepare" | "summary" | "card" | "preview" | "output">
> = {
  output: SHELL_OUTPUT,
  prepare: () => Promise.all([loadGrammar(), loadAnalysis()]),
  summary: ({ command }) => command,
  card: ({ command }, result) => shellCard(command, result),
  async access({ command, outside_sandbox: wantsOut }, scope) {
    const access = await commandAccess(command, (await scope.paths.locate(".")).real, scope);
    return wantsOut && scope.env.isSandboxed ? access.map(asOutside) : access;
  },
  async preview({ command, outside_sandbox: wantsOut }, { env, paths }) {
    const { real } = await paths.locate(".");
    const isOutside = wantsOut === true && env.isSandboxed === true;
    return commandPreview(command, { directory: real, isOutside }, ["command", "outside_sandbox"], env);
  },
};

export const shellTool: ToolDef<Args> = {
  name: "shell",
  label: "Run",
  description: description.trim(),
  schema: object(params),
  tier: "exec",
  replay: "never",
  // The command has its own deadline.
  timeoutMs: 0,
  ...SHELL_MEANING,
  execute: runShell,
};

const asOutside = (item: Access): Access => (item.kind === "exec" ? { ...item, outside: true } : item);

async function runShell(args: Args, context: ToolContext): Promise<ToolResult> {
  if (args.background) return startJob(args, context);
  const { command, timeout_ms: timeoutMs, outside_sandbox: outside } = args;
  const outcome = await runCommand(command, context, { timeoutMs, outside, name: "shell", interleaved: true });
  if (wentToBackground(outcome)) return detachedResult(command, outcome);
  const more = wholeOutputNote(outcome) + changedNote(outcome.changed) + environmentNote(outcome);
  return commandResult(command, outcome, endedLine(outcome.output) + more + describeEnd(outcome));
}

function describeEnd(outcome: CommandOutcome): string {
  if (outcome.timedOut) return timeoutNotice(outcome.timeoutMs);
  if (outcome.aborted) return `[interrupted after ${outcome.durationMs} ms]`;
  if (outcome.signal) return `[ended by ${outcome.signal}, ${outcome.durationMs} ms]`;
  return `[exit code: ${outcome.exitCode}, ${outcome.durationMs} ms]`;
}

async function startJob(args: Args, context: ToolContext): Promise<ToolResult> {
  const { command } = args;
  refuseEmpty(command);
  const { env, services } = context;
  const { jobs } = services;
  if (services.background?.onRequest === false || !jobs || !env.startCommand) {
    throw new ToolFailure("Background commands cannot run here. Run the command without background.");
  }
  const job = startedJob(command, context, jobs, {
    env: COMMAND_ENV,
    ...(args.outside_sandbox ? { outside: true } : {}),
  });
  return {
    content: [
      {
        kind: "text",
        text: `Started job ${job.id}. Use this id to read its output or to stop it; it is stopped when the session ends.`,
      },
    ],
    details: { command, jobId: job.id },
    effects: "done",
  };
}
