// exec_command and write_stdin: a command is given some time; one that is still running then continues as a session that can be
// looked at, waited for and ended. Our background jobs are those sessions.

import { flag, integer, object, optional, type StaticFields, text } from "@lathe/llm/schema";
import { type ToolContext, type ToolDef, ToolFailure, type ToolResult } from "../../../../contract/tool.ts";
import { type BackgroundCommand, EnvError, type ExecOptions } from "../../../../world/env/types.ts";
import { type Job, takeOutput } from "../../../run/jobs.ts";
import { type MinimizedOutput, minimizedOutput } from "../../../run/minimize/minimized-output.ts";
import { plainOutput } from "../../../run/plain-output.ts";
import { COMMAND_ENV, closeWith, lazyArtifact, refuseEmpty } from "../../../run/run-command.ts";
import { changedNote, watchShownFiles } from "../../../run/shown-changes.ts";
import { startedTerminal } from "../../../run/start-terminal.ts";
import { typedAccess, typeInto } from "../../../run/typed-input.ts";
import { jobCard } from "../../job-output/index.ts";
import { SHELL_OUTPUT } from "../../output.ts";
import { outsideSandbox, runShell, shellMeaning, shellTool } from "../../shell/index.ts";
import execDescription from "./exec-command.md";
import stdinDescription from "./write-stdin.md";

const DEFAULT_WAIT_MS = 10_000;
const POLL_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 300_000;

const execParams = {
  cmd: text("The command, as you would type it in bash"),
  workdir: optional(text("Directory to run it in; the working directory when not given")),
  yield_time_ms: optional(
    integer({ description: "Milliseconds to wait for its end; 10000 when not given", minimum: 0 }),
  ),
  max_output_tokens: optional(
    integer({ description: "Accepted but ignored: long output is shortened in the middle", minimum: 1 }),
  ),
  tty: optional(flag("Run it in a terminal, to type into it with write_stdin; false when not given")),
  ...outsideSandbox,
};

export const execCommandTool: ToolDef<StaticFields<typeof execParams>> = {
  ...shellTool,
  name: "exec_command",
  description: execDescription.trim(),
  schema: object(execParams),
  tier: "exec",
  ...shellMeaning<StaticFields<typeof execParams>>(
    ({ cmd, workdir, outside_sandbox }) => ({ command: cmd, cwd: workdir, outside_sandbox }),
    ["cmd", "workdir", "tty", "outside_sandbox"],
  ),
  async execute({ cmd, workdir, yield_time_ms: wait = DEFAULT_WAIT_MS, tty, outside_sandbox }, context) {
    const { env, services } = context;
    const { jobs } = services;
    if (!jobs || !env.startCommand) return runShell({ command: cmd, cwd: workdir, outside_sandbox }, context);
    refuseEmpty(cmd);
    const changedFiles = await watchShownFiles(context);
    const spill = lazyArtifact(context, "exec_command");
    const options = {
      onOutput: context.onOutput,
      spill,
      env: COMMAND_ENV,
      outside: outside_sandbox,
      ...(workdir === undefined ? {} : { cwd: (await context.paths.locate(workdir)).real }),
    };
    const terminal = tty ? await terminalFor(cmd, context, options) : undefined;
    const job = jobs.start(cmd, (command) => terminal ?? env.startCommand!(command, options), { spill });
    closeWith(job.handle, spill);
    const detached = new AbortController();
    const remove = services.runningCommands?.add({ command: cmd, detach: () => detached.abort() });
    const waits = { ms: Math.min(wait, LONGEST_WAIT_MS), signal: context.signal, enough: detached.signal };
    try {
      return await jobs.watch([job], waits, async () => {
        const note = changedNote(await changedFiles());
        return sessionResult(job, note, await minimizedResult(job, context));
      });
    } catch (error) {
      if (context.signal.aborted) await jobs.cancel(job, true);
      throw error;
    } finally {
      remove?.();
    }
  },
};

async function terminalFor(
  cmd: string,
  context: ToolContext,
  { env, outside, cwd }: Pick<ExecOptions, "env" | "outside" | "cwd">,
): Promise<BackgroundCommand> {
  try {
    return (await startedTerminal(cmd, context, { env, outside, cwd })).command;
  } catch (error) {
    if (error instanceof EnvError) throw new ToolFailure(`PTY error: ${error.message}`);
    throw error;
  }
}

const stdinParams = {
  session_id: integer({ description: "The number of the session", minimum: 1 }),
  chars: optional(text("Nothing, to look at the session; \\u0003 (Ctrl-C) to end it; else what to type into it")),
  yield_time_ms: optional(
    integer({ description: "Milliseconds to wait for its end; 5000 when not given", minimum: 0 }),
  ),
};

const isTyped = (chars = ""): chars is string => chars !== "" && chars !== "\u0003";

export const writeStdinTool: ToolDef<StaticFields<typeof stdinParams>> = {
  name: "write_stdin",
  label: "Session",
  description: stdinDescription.trim(),
  schema: object(stdinParams),
  // It looks at a command that was allowed, or ends it; only what is typed into it can do more.
  tier: ({ chars }) => (isTyped(chars) ? "exec" : "read"),
  access: ({ chars }, scope) => (isTyped(chars) ? typedAccess(chars, scope) : []),
  replay: "never",
  timeoutMs: 0,
  output: SHELL_OUTPUT,
  summary: ({ session_id }) => `session ${session_id}`,
  card: ({ session_id, chars }, result) => jobCard(`session ${session_id}`, chars === "\u0003", result),
  async execute({ session_id, chars = "", yield_time_ms: wait = POLL_WAIT_MS }, { services, signal }) {
    if (!services.jobs) throw new ToolFailure("Sessions are not available here.");
    const { jobs } = services;
    const job = jobs.get(session_id);
    if (chars === "\u0003") await jobs.cancel(job, true);
    else if (chars !== "") await typeInto(job, chars);
    return jobs.watch([job], { ms: Math.min(wait, LONGEST_WAIT_MS), signal }, () => sessionResult(job, ""));
  },
};

/** Of a command that has ended within its call, all of whose output is at hand. */
async function minimizedResult(job: Job, context: ToolContext): Promise<MinimizedOutput | undefined> {
  const { result, handle } = job;
  if (!result || result.truncated || handle.screen) return undefined;
  const raw = handle.read().text;
  return minimizedOutput(context, handle.command, { plain: plainOutput(raw), raw });
}

async function sessionResult(job: Job, note: string, minimized?: MinimizedOutput): Promise<ToolResult> {
  const all = await takeOutput(job);
  const output = minimized?.text ?? all;
  if (job.failure !== undefined) throw new ToolFailure(job.failure);
  const { result } = job;
  const body = output === "" || output.endsWith("\n") ? output : `${output}\n`;
  return {
    content: [{ kind: "text", text: body + (minimized?.footer ?? "") + note + describeEnd(job) }],
    details: {
      command: job.handle.command,
      sessionId: job.id,
      ...(result ? { exitCode: result.exitCode, duration: result.durationMs } : {}),
    },
    isError: result !== undefined && result.exitCode !== 0,
    effects: result?.aborted ? "unknown" : "done",
    ...(minimized ? { artifact: minimized.artifact } : {}),
  };
}

function describeEnd({ id, result }: Job): string {
  if (!result) return `[still running as session ${id}]`;
  if (result.signal) return `[ended by ${result.signal}, ${result.durationMs} ms]`;
  return `[exit code: ${result.exitCode}, ${result.durationMs} ms]`;
}
