// `bash` with `pty`: the command runs in a terminal. A user who is present types into it; otherwise, or with `async`,
// it becomes a job, and the model types through the job.

import { type ToolContext, ToolFailure, type ToolResult } from "../../../contract/tool.ts";
import { EnvError } from "../../../world/env/types.ts";
import { type Jobs, jobState, takeOutput } from "../../run/jobs.ts";
import { COMMAND_ENV } from "../../run/run-command.ts";
import { changedNote, watchShownFiles } from "../../run/shown-changes.ts";
import { startedTerminal } from "../../run/start-terminal.ts";
import { type BashArgs, type PlannedCommand, prefixCommand, settingsOf, shellOf } from "./plan.ts";

/** When no user types, a prompt appears soon or not at all. */
const FIRST_LOOK_MS = 1500;

export async function runInTerminal(args: BashArgs, plan: PlannedCommand, context: ToolContext): Promise<ToolResult> {
  const { env, services } = context;
  const settings = settingsOf(context);
  const shell = shellOf(context);
  await shell.begin(env, settings);
  const { showTerminal, jobs } = services;
  if (!showTerminal && !jobs) throw new ToolFailure("There is no user to type here. Run the command without pty.");
  const lasting = args.outside_sandbox ? undefined : shell.options(env, { cwd: plan.cwd, variables: args.env });
  const changedFiles = await watchShownFiles(context);
  let terminal: StartedTerminal;
  try {
    terminal = await startedTerminal(prefixCommand(plan.command, settings), context, {
      env: { ...COMMAND_ENV, ...settings.variables, ...(lasting ? {} : args.env) },
      ...(lasting ? { shell: lasting } : { cwd: plan.cwd }),
      ...(args.outside_sandbox ? { outside: true } : {}),
    });
  } catch (error) {
    if (error instanceof EnvError) throw new ToolFailure(`PTY error: ${error.message}`);
    throw error;
  }
  const withPerson = showTerminal !== undefined && !args.async;
  const running = withPerson ? undefined : await runAsJob(args, terminal, jobs!, context.signal);
  if (running) return running;
  const hide = withPerson ? showTerminal(terminal) : () => {};
  try {
    return await untilEnd(args, terminal, changedFiles, context);
  } finally {
    hide();
    terminal.screen.close();
  }
}

type StartedTerminal = Awaited<ReturnType<typeof startedTerminal>>;

/** Undefined if the command had ended by the first look: its result is then the call's result. */
async function runAsJob(
  args: BashArgs,
  { command, screen }: StartedTerminal,
  jobs: Jobs,
  signal: AbortSignal,
): Promise<ToolResult | undefined> {
  const job = jobs.start(args.command, () => command);
  const look = { ms: args.async ? 0 : FIRST_LOOK_MS, signal };
  return jobs.watch([job], look, async (): Promise<ToolResult | undefined> => {
    // If the command ends after this, the job reports its end, so it must not be the result of this call too.
    const hasEnded = jobState(job) !== "running";
    await takeOutput(job);
    if (hasEnded) return undefined;
    const text = `${screen.text()}\n[running in a terminal as job ${job.id}: type into it with job]`.trimStart();
    return {
      content: [{ kind: "text", text }],
      details: { command: args.command, jobId: job.id },
      effects: "done",
    };
  });
}

/** Waits for the command to end; an abort or the call's own time limit ends it. */
async function untilEnd(
  args: BashArgs,
  { command, screen }: StartedTerminal,
  changedFiles: Awaited<ReturnType<typeof watchShownFiles>>,
  { services, signal }: ToolContext,
): Promise<ToolResult> {
  let timedOut = false;
  const maxMs = Math.min(services.commandTimes?.maxMs ?? 3_600_000, 3_600_000);
  const onTimeout = (): void => {
    timedOut = true;
    void command.stop();
  };
  // A user needs time to think, so only a time limit of the call itself applies.
  const timer = args.timeout === undefined ? undefined : setTimeout(onTimeout, Math.min(args.timeout * 1000, maxMs));
  const onAbort = (): void => void command.stop();
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    const result = await command.done;
    await screen.whenSettled();
    const ending = timedOut ? `Command timed out after ${args.timeout} seconds.` : endingOf(result);
    const parts = [screen.text(), changedNote(await changedFiles()).trimEnd(), ending];
    const body = parts.filter((part) => part !== "").join("\n");
    return {
      content: [{ kind: "text", text: body === "" ? "(no output)" : body }],
      details: { command: args.command, exitCode: result.exitCode, duration: result.durationMs, timedOut },
      isError: result.exitCode !== 0 || timedOut,
      effects: timedOut || result.aborted ? "unknown" : "done",
    };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}

function endingOf({ aborted, signal, durationMs, exitCode }: Awaited<StartedTerminal["command"]["done"]>): string {
  if (aborted) return "[ended by the user]";
  if (signal !== undefined) return `[ended by ${signal}, ${durationMs} ms]`;
  return exitCode === 0 ? "" : `Command exited with code ${exitCode}`;
}
