// `bash` with `pty`: the command has a terminal. A person who is there types into it; otherwise, or with `async`, it becomes a job, and
// the model types through the job.

import { type ToolContext, ToolFailure, type ToolResult } from "../../../contract/tool.ts";
import { EnvError } from "../../../world/env/types.ts";
import { jobState, takeOutput } from "../../run/jobs.ts";
import { COMMAND_ENV } from "../../run/run-command.ts";
import { changedNote, watchShownFiles } from "../../run/shown-changes.ts";
import { startedTerminal } from "../../run/start-terminal.ts";
import { type BashArgs, type PlannedCommand, prefixed, settingsOf, shellOf } from "./plan.ts";

/** Without a person, a prompt comes soon or not at all. */
const FIRST_LOOK_MS = 1500;

export async function runInTerminal(args: BashArgs, plan: PlannedCommand, context: ToolContext): Promise<ToolResult> {
  const { env, services } = context;
  const settings = settingsOf(context);
  const shell = shellOf(context);
  await shell.begin(env, settings);
  const { showTerminal, jobs } = services;
  if (!showTerminal && !jobs) throw new ToolFailure("Nobody can type here. Run the command without pty.");
  const lasting = args.outside_sandbox ? undefined : shell.options(env, { cwd: plan.cwd, variables: args.env });
  const changedFiles = await watchShownFiles(context);
  let terminal: Awaited<ReturnType<typeof startedTerminal>>;
  try {
    terminal = await startedTerminal(prefixed(plan.command, settings), context, {
      env: { ...COMMAND_ENV, ...settings.variables, ...(lasting ? {} : args.env) },
      ...(lasting ? { shell: lasting } : { cwd: plan.cwd }),
      ...(args.outside_sandbox ? { outside: true } : {}),
    });
  } catch (error) {
    if (error instanceof EnvError) throw new ToolFailure(`PTY error: ${error.message}`);
    throw error;
  }
  const { command, screen } = terminal;
  const withPerson = showTerminal !== undefined && !args.async;
  if (!withPerson) {
    const job = jobs!.start(args.command, () => command);
    const look = { ms: args.async ? 0 : FIRST_LOOK_MS, signal: context.signal };
    const running = await jobs!.watch([job], look, async (): Promise<ToolResult | undefined> => {
      // An end after this look is news of the job; it must not be the result of this call as well.
      const hasEnded = jobState(job) !== "running";
      await takeOutput(job);
      if (hasEnded) return undefined;
      return {
        content: [
          {
            kind: "text",
            text: `${screen.text()}\n[running in a terminal as job ${job.id}: type into it with job]`.trimStart(),
          },
        ],
        details: { command: args.command, jobId: job.id },
        effects: "done",
      };
    });
    if (running) return running;
  }
  const hide = withPerson ? showTerminal(terminal) : () => {};
  let timedOut = false;
  const maxMs = Math.min(services.commandTimes?.maxMs ?? 3_600_000, 3_600_000);
  // A person thinks; only a limit that the call gives itself is kept.
  const timer =
    args.timeout === undefined
      ? undefined
      : setTimeout(
          () => {
            timedOut = true;
            void command.stop();
          },
          Math.min(args.timeout * 1000, maxMs),
        );
  const onAbort = (): void => void command.stop();
  context.signal.addEventListener("abort", onAbort, { once: true });
  if (context.signal.aborted) onAbort();
  try {
    const result = await command.done;
    await screen.settled();
    const text = screen.text();
    const ending = timedOut
      ? `Command timed out after ${args.timeout} seconds.`
      : result.aborted
        ? "[ended by the user]"
        : result.signal !== undefined
          ? `[ended by ${result.signal}, ${result.durationMs} ms]`
          : result.exitCode === 0
            ? ""
            : `Command exited with code ${result.exitCode}`;
    const body = [text, changedNote(await changedFiles()).trimEnd(), ending].filter((part) => part !== "").join("\n");
    return {
      content: [{ kind: "text", text: body === "" ? "(no output)" : body }],
      details: { command: args.command, exitCode: result.exitCode, duration: result.durationMs, timedOut },
      isError: result.exitCode !== 0 || timedOut,
      effects: timedOut || result.aborted ? "unknown" : "done",
    };
  } finally {
    clearTimeout(timer);
    context.signal.removeEventListener("abort", onAbort);
    hide();
    screen.close();
  }
}
