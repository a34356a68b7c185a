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
import { commandAccess } from "./access.ts";
import { shellCard } from "./card.ts";
import description from "./description.md";
import { commandPreview, commandResult, detachedResult, endedLine, startedJob } from "./result.ts";

/** Of every shell face, whatever its other parameters are called. */
export const outsideSandbox = {
  outside_sandbox: optional(flag("If commands are sandboxed: run this one outside; a person is asked first")),
};

const params = {
  command: text("The command, as you would type it in bash"),
  timeout_ms: optional(integer({ description: "Milliseconds the command may take", minimum: 1 })),
  description: optional(text("What the command does, in a few words, for the person watching")),
  background: optional(flag("Start it and return at once with a job id")),
  ...outsideSandbox,
};

/** What every shell face boils down to. */
export interface ShellArgs {
  readonly command: string;
  readonly timeout_ms?: number | undefined;
  readonly background?: boolean | undefined;
  readonly cwd?: string | undefined;
  readonly outside_sandbox?: boolean | undefined;
  /** The face's name for `timeout_ms`. */
  readonly timeoutName?: string;
}

export const shellTool: ToolDef<StaticFields<typeof params>> = {
  name: "shell",
  label: "Run",
  description: description.trim(),
  schema: object(params),
  tier: "exec",
  replay: "never",
  // The command has its own deadline.
  timeoutMs: 0,
  ...shellMeaning<StaticFields<typeof params>>((args) => args, ["command", "outside_sandbox"]),
  execute: runShell,
};

/** What every shell face declares; `toShell` reads its arguments, `shows` names those that a preview shows in full. */
export function shellMeaning<Args>(
  toShell: (args: Args) => Pick<ShellArgs, "command" | "cwd" | "outside_sandbox">,
  shows: readonly string[],
): Required<Pick<ToolDef<Args>, "access" | "prepare" | "summary" | "card" | "preview" | "output">> {
  return {
    output: SHELL_OUTPUT,
    prepare: () => loadGrammar(),
    summary: (args) => toShell(args).command,
    card: (args, result) => shellCard(toShell(args).command, result),
    async access(args, scope) {
      const { command, cwd = ".", outside_sandbox: wantsOut } = toShell(args);
      const access = await commandAccess(command, (await scope.paths.locate(cwd)).real, scope);
      return wantsOut && scope.env.isSandboxed ? access.map(asOutside) : access;
    },
    async preview(args, { env, paths }) {
      const { command, cwd = ".", outside_sandbox: wantsOut } = toShell(args);
      const { real } = await paths.locate(cwd);
      const isOutside = wantsOut === true && env.isSandboxed === true;
      return commandPreview(command, { directory: real, isOutside }, shows, env);
    },
  };
}

const asOutside = (item: Access): Access => (item.kind === "exec" ? { ...item, outside: true } : item);

/** Where the command was judged to run. */
async function directoryOf({ cwd }: ShellArgs, { paths }: ToolContext): Promise<string | undefined> {
  return cwd === undefined ? undefined : (await paths.locate(cwd)).real;
}

export async function runShell(args: ShellArgs, context: ToolContext): Promise<ToolResult> {
  if (args.background) return startJob(args, context);
  const { command, timeout_ms: timeoutMs, outside_sandbox: outside } = args;
  const cwd = await directoryOf(args, context);
  const outcome = await runCommand(command, context, { timeoutMs, cwd, outside, name: "shell", interleaved: true });
  return wentToBackground(outcome) ? detachedResult(command, outcome) : shellResult(command, outcome, args.timeoutName);
}

function shellResult(command: string, outcome: CommandOutcome, timeoutName: string | undefined): ToolResult {
  const more = wholeOutputNote(outcome) + changedNote(outcome.changed) + environmentNote(outcome);
  return commandResult(command, outcome, endedLine(outcome.output) + more + describeEnd(outcome, timeoutName));
}

function describeEnd(outcome: CommandOutcome, timeoutName: string | undefined): string {
  if (outcome.timedOut) return timeoutNotice(outcome.timeoutMs, timeoutName);
  if (outcome.aborted) return `[interrupted after ${outcome.durationMs} ms]`;
  if (outcome.signal) return `[ended by ${outcome.signal}, ${outcome.durationMs} ms]`;
  return `[exit code: ${outcome.exitCode}, ${outcome.durationMs} ms]`;
}

async function startJob(args: ShellArgs, context: ToolContext): Promise<ToolResult> {
  const { command } = args;
  refuseEmpty(command);
  const cwd = await directoryOf(args, context);
  const { jobs } = context.services;
  const { env } = context;
  if (!jobs || !env.startCommand) {
    throw new ToolFailure("Background commands cannot run here. Run the command without background.");
  }
  const job = startedJob(command, context, jobs, {
    env: COMMAND_ENV,
    ...(cwd === undefined ? {} : { cwd }),
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
