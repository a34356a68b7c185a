// Runs one command to its end for the shell tools: decides its timeout, where too much output goes, and what the
// outcome is.

import { messageOf } from "@lathe/llm";
import { type ArtifactRef, type ArtifactWriter, type ToolContext, ToolFailure } from "../../contract/tool.ts";
import { artifactNotice, unsavedNotice } from "../../record/artifacts/notice.ts";
import type { BackgroundCommand, ExecOptions, ExecResult, LastingShellOptions } from "../../world/env/types.ts";
import { type Detached, runDetachable } from "./detachable.ts";
import type { Job, JobSpill } from "./jobs.ts";
import { minimize } from "./minimize/minimize.ts";
import { type MinimizedOutput, minimizedOutput } from "./minimize/minimized-output.ts";
import { plainOutput } from "./plain-output.ts";
import { watchShownFiles } from "./shown-changes.ts";

declare module "../../contract/tool.ts" {
  interface ToolServices {
    /** The default and the maximum timeout of a command. */
    readonly commandTimes?: { readonly defaultMs: number; readonly maxMs: number };
  }
}

/**
 * Commands have no input, so git's editor would only wait for its end. With this, git takes the message as it is, or
 * reports that it is empty.
 */
export const COMMAND_ENV = { GIT_EDITOR: "true" };

const FALLBACK_TIMES = { defaultMs: 10_000, maxMs: 600_000 };

export interface CommandOutcome extends ExecResult {
  readonly timeoutMs: number;
  readonly artifact?: ArtifactRef;
  /** A note below a minimized output: what is omitted and where it is. */
  readonly footer?: string;
  /** Why there is no artifact although there should be one. */
  readonly notKept?: string;
  /** Files shown in this session that are now different. */
  readonly changed: readonly string[];
}

export interface CommandOptions {
  readonly name: string;
  readonly timeoutMs?: number | undefined;
  readonly cwd?: string | undefined;
  /** Both streams in the order in which they were written, instead of separately. */
  readonly interleaved?: boolean | undefined;
  /** The command runs outside the sandbox. */
  readonly outside?: boolean | undefined;
  /** The output is not minimized. */
  readonly asPrinted?: boolean | undefined;
  /** Added to every command's variables. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** The shell state it starts with. */
  readonly shell?: LastingShellOptions | undefined;
}

/** The command was sent to the background while it ran and goes on as this job. */
export interface BackgroundOutcome {
  readonly job: Job;
  /** What it had printed by then. */
  readonly output: string;
  readonly why: Detached["why"];
}

export const wentToBackground = (outcome: CommandOutcome | BackgroundOutcome): outcome is BackgroundOutcome =>
  "job" in outcome;

export async function runCommand(
  command: string,
  context: ToolContext,
  options: CommandOptions,
): Promise<CommandOutcome | BackgroundOutcome> {
  refuseEmpty(command);
  const times = context.services.commandTimes ?? FALLBACK_TIMES;
  const timeoutMs = Math.min(options.timeoutMs ?? times.defaultMs, times.maxMs);
  const spill = lazyArtifact(context, options.name);
  const changedFiles = await watchShownFiles(context);
  const afterMs = waitBeforeBackground(context.services.background?.afterMs ?? 0, timeoutMs);
  const result = await runUntilDetached(
    command,
    context,
    { timeoutMs, afterMs },
    {
      signal: context.signal,
      onOutput: context.onOutput,
      spill,
      env: { ...COMMAND_ENV, ...options.env },
      interleaved: options.interleaved ?? false,
      ...(options.shell === undefined ? {} : { shell: options.shell }),
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      ...(options.outside ? { outside: true } : {}),
    },
  );
  if ("handle" in result) {
    const { handle, why } = result;
    closeWith(handle, spill);
    const { text } = handle.read();
    return { job: context.services.jobs!.adopt(handle, { spill }), output: plainOutput(text), why };
  }
  const plain = {
    output: plainOutput(result.output),
    stdout: plainOutput(result.stdout),
    stderr: plainOutput(result.stderr),
  };
  const changed = await changedFiles();
  const kept = await spill.close();
  if (kept.notKept !== undefined || options.asPrinted) return { ...result, ...plain, timeoutMs, changed, ...kept };
  const minimized = await minimizedOutput(context, command, { plain: plain.output, raw: result.output, ...kept });
  return {
    ...result,
    ...plain,
    timeoutMs,
    changed,
    ...kept,
    ...(minimized ? withMinimized(command, plain, minimized) : {}),
  };
}

/** Minimizes each stream separately for tools that show them apart. */
function withMinimized(
  command: string,
  { stdout, stderr }: Pick<CommandOutcome, "stdout" | "stderr">,
  { text, footer, artifact }: MinimizedOutput,
): Pick<CommandOutcome, "output" | "stdout" | "stderr" | "artifact" | "footer"> {
  const shorter = (stream: string): string => minimize(command, stream)?.text ?? stream;
  return { output: text, stdout: shorter(stdout), stderr: shorter(stderr), artifact, footer };
}

/**
 * If the user could send it to the background, the command is started so that it can outlive the call that waits for
 * it.
 */
export function runUntilDetached(
  command: string,
  context: Pick<ToolContext, "env" | "services" | "signal" | "onOutput">,
  { timeoutMs, afterMs = 0 }: { readonly timeoutMs: number; readonly afterMs?: number },
  options: ExecOptions,
): Promise<ExecResult | Detached> {
  const { env, services } = context;
  const { jobs, runningCommands: running } = services;
  if (!jobs || !(running || afterMs > 0) || !env.startCommand || env.showsCommands)
    return env.execCommand(command, timeoutMs, options);
  const start = (text: string, how: ExecOptions) => env.startCommand!(text, how);
  return runDetachable(command, context, { timeoutMs, afterMs, options, running, start });
}

/** Must end before the timeout, because a command that goes to the background no longer has one. */
const waitBeforeBackground = (afterMs: number, timeoutMs: number): number =>
  timeoutMs > 0 ? Math.min(afterMs, Math.max(timeoutMs - 1000, 0)) : afterMs;

/** Closes the artifact of a command that outlives its call when the command ends. */
export function closeWith({ done }: BackgroundCommand, spill: { close(): Promise<unknown> }): void {
  const closeSpill = (): Promise<unknown> => spill.close();
  done.then(closeSpill, closeSpill);
}

/** The end of a result, for the model. */
export function backgroundNote({ job, why = "user" }: BackgroundNote): string {
  const what = why === "user" ? "The user sent this command to the background." : "This command is taking long.";
  return `[${what} It continues as job ${job.id}: use this id to read its output or to stop it; it is stopped when the session ends.]`;
}

/** Which job it became, and why the call no longer waits for it. */
export interface BackgroundNote {
  readonly job: Pick<Job, "id">;
  readonly why?: Detached["why"];
}

export function refuseEmpty(command: string): void {
  if (command.trim() === "") throw new ToolFailure("The command is empty. Give a shell command to run.");
}

export interface LazyArtifact extends JobSpill {
  write(chunk: Uint8Array): void;
  close(): Promise<Pick<CommandOutcome, "artifact" | "notKept">>;
}

/**
 * Opens the artifact with the first byte that does not fit in memory; most commands never need it. A full disk costs
 * the artifact, not the command: the failure comes while output is read, where no caller could catch it.
 */
export function lazyArtifact(context: Pick<ToolContext, "openArtifact">, name: string): LazyArtifact {
  let writer: ArtifactWriter | undefined;
  let notKept: string | undefined;
  return {
    get id() {
      return notKept === undefined ? writer?.id : undefined;
    },
    write: (chunk) => {
      if (notKept !== undefined) return;
      try {
        writer ??= context.openArtifact(name);
        writer.write(chunk);
      } catch (error) {
        notKept = messageOf(error);
      }
    },
    close: async () => {
      const artifact = await writer?.close();
      if (notKept !== undefined) return { notKept };
      return artifact ? { artifact } : {};
    },
  };
}

/** The environment's remark about a failure in one line; empty if there is none. */
export const environmentNote = ({ note }: Pick<CommandOutcome, "note">): string =>
  note === undefined ? "" : `[${note}]\n`;

/** Where the whole output is, or why it was not kept; empty if neither is known. */
export function outputNote({ artifact, notKept }: Pick<CommandOutcome, "artifact" | "notKept">, size: string): string {
  if (artifact) return `${artifactNotice(artifact.id, size)}\n`;
  return notKept === undefined ? "" : `${unsavedNotice(notKept)}\n`;
}

/** One line about the whole output; empty if all of it was shown. */
export const wholeOutputNote = (outcome: CommandOutcome): string =>
  outcome.footer ?? outputNote(outcome, `${outcome.outputBytes} bytes`);
