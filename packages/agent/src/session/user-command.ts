// A command that the user runs in the session. It needs no approval, and no tool takes part. Its output is recorded
// and, if the user wants, sent to the model with the next request.

import type { JsonObject } from "@lathe/llm";
import { Checker, flag, number, openObject, optional, orNull, text } from "@lathe/llm/schema";
import { truncateOutput } from "../base/truncate/truncate.ts";
import type { CustomEntry, CustomMessageEntry, TreeEntry } from "../contract/journal.ts";
import type { ArtifactRef } from "../contract/tool.ts";
import { artifactNotice } from "../record/artifacts/notice.ts";
import { SHELL_OUTPUT } from "../tools/builtin/output.ts";
import type { Job } from "../tools/run/jobs.ts";
import { plainOutput } from "../tools/run/plain-output.ts";
import {
  backgroundNote,
  COMMAND_ENV,
  closeWith,
  environmentNote,
  lazyArtifact,
  runUntilDetached,
} from "../tools/run/run-command.ts";
import type { ExecResult } from "../world/env/types.ts";
import type { HostChoices, SessionLog, Toolbox } from "./facades.ts";

/** The kind of the entries that record these commands. */
export const USER_COMMAND = "bashExecution";

/** Who sees the command and what ends it. */
export interface UserCommandOptions {
  /** Whether the model sees it. */
  readonly isSent: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly onOutput?: ((chunk: string) => void) | undefined;
  /** Milliseconds; 0 or absent: no limit. */
  readonly timeoutMs?: number | undefined;
}

/** How the command ended. */
export interface UserCommandResult {
  readonly entryId: string;
  readonly command: string;
  readonly stdout: string;
  readonly stderr: string;
  /** Both streams in order of arrival, cut to the model's limit. */
  readonly output: string;
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly cancelled: boolean;
  readonly timedOut: boolean;
  /** `output` is incomplete. All of it is in the artifact, if there is one. */
  readonly truncated: boolean;
  readonly durationMs: number;
  readonly artifact?: ArtifactRef | undefined;
  /**
   * Set if the command was sent to the background: it goes on as this job, and `output` is what it had printed by then.
   */
  readonly jobId?: number | undefined;
}

export async function runUserCommand(
  core: SessionLog & HostChoices & Toolbox,
  command: string,
  { isSent, signal, onOutput, timeoutMs = 0 }: UserCommandOptions & { readonly signal: AbortSignal },
): Promise<UserCommandResult> {
  // Long output is stored beside the journal, which may not have a file yet.
  core.journal.persist();
  const spill = lazyArtifact({ openArtifact: (name) => core.artifacts.open(name) }, "shell");
  const began = core.deps.now();
  const watched = { signal, onOutput: onOutput ?? (() => {}) };
  const context = { env: core.options.env, services: core.services, ...watched };
  const how = { ...watched, spill, env: COMMAND_ENV, isUsers: true };
  const run = await runUntilDetached(command, context, { timeoutMs }, how);
  if ("handle" in run) {
    closeWith(run.handle, spill);
    const job = core.services.jobs!.adopt(run.handle, { spill, isQuiet: !isSent });
    return record(core, isSent, detachedEnd(command, job, core.deps.now() - began));
  }
  const spilled = await spill.close();
  const shown = shownOutput(withNote(run), run.truncated);
  const artifact = spilled.artifact ?? (shown.truncated && isSent ? await storeOutput(core, run.output) : undefined);
  return record(core, isSent, {
    command,
    exitCode: run.signal === undefined && !run.aborted ? run.exitCode : null,
    cancelled: run.aborted,
    timedOut: run.timedOut,
    durationMs: Math.round(run.durationMs),
    ...shown,
    stdout: run.stdout,
    stderr: run.stderr,
    artifact,
  });
}

/** The command goes on as a job; what it has printed so far was shown. */
function detachedEnd(command: string, { id: jobId, handle }: Job, durationMs: number): Ended {
  const { text } = handle.read();
  const printed = { stdout: text, stderr: "", ...shownOutput(text, false) };
  return { command, exitCode: null, cancelled: false, timedOut: false, durationMs, ...printed, jobId };
}

/** Stores the whole output, so that the model can read the rest there. */
async function storeOutput({ artifacts }: SessionLog, output: string): Promise<ArtifactRef | undefined> {
  const whole = lazyArtifact({ openArtifact: (name) => artifacts.open(name) }, "shell");
  whole.write(Buffer.from(output, "utf8"));
  return (await whole.close()).artifact;
}

function withNote(run: ExecResult): string {
  const lineEnd = run.note === undefined || run.output === "" || run.output.endsWith("\n") ? "" : "\n";
  return `${run.output}${lineEnd}${environmentNote(run)}`;
}

function shownOutput(output: string, isCut: boolean): Pick<Ended, "output" | "truncated"> {
  const whole = plainOutput(output);
  const shown = truncateOutput(whole, SHELL_OUTPUT);
  return { output: shown, truncated: isCut || shown !== whole };
}

type Ended = Omit<UserCommandResult, "entryId">;

function record(core: SessionLog & HostChoices & Toolbox, isSent: boolean, ended: Ended): UserCommandResult {
  const { stdout: _out, stderr: _err, artifact, jobId, ...rest } = ended;
  const details: JsonObject = {
    ...rest,
    ...(artifact ? { artifact: { ...artifact } } : {}),
    ...(jobId === undefined ? {} : { jobId }),
  };
  const entry = core.append(
    isSent
      ? {
          type: "custom_message",
          customType: USER_COMMAND,
          content: textFor(ended),
          display: true,
          details,
          attribution: "user",
        }
      : { type: "custom", customType: USER_COMMAND, data: details },
  );
  return { entryId: entry.id, ...ended };
}

function textFor(ended: Ended): string {
  const { command, output, artifact } = ended;
  const body = output === "" || output.endsWith("\n") ? output : `${output}\n`;
  const more = artifact ? `${artifactNotice(artifact.id)}\n` : "";
  return `<user_command>\n$ ${command}\n${body}${more}${describeEnd(ended)}\n</user_command>`;
}

function describeEnd({ exitCode, cancelled, timedOut, durationMs, jobId }: Ended): string {
  if (jobId !== undefined) return backgroundNote({ job: { id: jobId } });
  if (timedOut) return `[ended after ${durationMs} ms, because its time was up]`;
  if (cancelled) return `[cancelled by the user after ${durationMs} ms]`;
  return exitCode === null
    ? `[ended by a signal after ${durationMs} ms]`
    : `[exit code: ${exitCode}, ${durationMs} ms]`;
}

/** A recorded command as a transcript shows it. */
export interface RecordedUserCommand
  extends Pick<UserCommandResult, "command" | "exitCode" | "cancelled" | "timedOut" | "durationMs" | "jobId"> {
  readonly output: string;
  readonly truncated: boolean;
  readonly isSent: boolean;
}

const RECORDED = new Checker(
  openObject({
    command: text(),
    output: text(),
    exitCode: orNull(number()),
    cancelled: flag(),
    timedOut: flag(),
    truncated: flag(),
    durationMs: number(),
    artifact: optional(openObject({ id: number(), bytes: number() })),
    jobId: optional(number()),
  }),
);

/** Undefined for entries of other kinds. */
export function userCommandOf(entry: TreeEntry): RecordedUserCommand | undefined {
  if (entry.type !== "custom" && entry.type !== "custom_message") return undefined;
  const recorded = dataOf(entry);
  if (entry.customType !== USER_COMMAND || !RECORDED.fits(recorded)) return undefined;
  return { ...(recorded as unknown as Omit<RecordedUserCommand, "isSent">), isSent: entry.type === "custom_message" };
}

const dataOf = (entry: CustomEntry | CustomMessageEntry): unknown =>
  entry.type === "custom" ? entry.data : entry.details;
