// A command that the person who uses a session runs in it. It is theirs: nobody is asked, and no tool takes part. What it printed is
// recorded, and sent to the model with the next request when they want that.

import type { JsonObject } from "@lathe/llm";
import type { ArtifactRef } from "../contract/tool.ts";
import { fields, fits, flag, number, optional, orNull, text } from "../journal/shape.ts";
import type { CustomEntry, CustomMessageEntry, TreeEntry } from "../journal/types.ts";
import { plainOutput } from "../ops/run/plain-output.ts";
import { COMMAND_ENV, lazyArtifact } from "../ops/run/run-command.ts";
import { SHELL_OUTPUT } from "../tools/output.ts";
import { truncateOutput } from "../truncate/truncate.ts";
import type { ArtifactPart, HostPart, JournalPart } from "./parts.ts";

/** The kind of the entries that record such commands. */
export const USER_COMMAND = "bashExecution";

export interface UserCommandOptions {
  /** Whether the model gets to see it. */
  readonly isSent: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly onOutput?: ((chunk: string) => void) | undefined;
  /** Milliseconds; 0 or absent: as long as it takes. */
  readonly timeoutMs?: number | undefined;
}

/** How it ended. */
export interface UserCommandResult {
  readonly entryId: string;
  readonly command: string;
  readonly stdout: string;
  readonly stderr: string;
  /** Both streams as they came, at most as long as the model gets it. */
  readonly output: string;
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly cancelled: boolean;
  readonly timedOut: boolean;
  /** Something of the output is not in `output`; all of it is in the artifact, when there is one. */
  readonly truncated: boolean;
  readonly durationMs: number;
  readonly artifact?: ArtifactRef | undefined;
}

export async function runUserCommand(
  core: JournalPart & ArtifactPart & HostPart<"env">,
  command: string,
  { isSent, signal, onOutput, timeoutMs = 0 }: UserCommandOptions,
): Promise<UserCommandResult> {
  // Output that is too long is kept beside the journal, which may not have a file yet.
  core.journal.persist();
  const spill = lazyArtifact({ openArtifact: (name) => core.artifacts.open(name) }, "shell");
  const run = await core.options.env.execCommand(command, timeoutMs, { signal, onOutput, spill, env: COMMAND_ENV });
  const { artifact } = await spill.close();
  const whole = plainOutput(run.output);
  const output = truncateOutput(whole, SHELL_OUTPUT);
  const ended = {
    command,
    exitCode: run.signal === undefined && !run.aborted ? run.exitCode : null,
    cancelled: run.aborted,
    timedOut: run.timedOut,
    truncated: run.truncated || output !== whole,
    durationMs: Math.round(run.durationMs),
  };
  const details: JsonObject = { ...ended, output, ...(artifact ? { artifact: { ...artifact } } : {}) };
  const entry = core.append(
    isSent
      ? {
          type: "custom_message",
          customType: USER_COMMAND,
          content: textFor(output, ended, artifact),
          display: true,
          details,
          attribution: "user",
        }
      : { type: "custom", customType: USER_COMMAND, data: details },
  );
  return { entryId: entry.id, ...ended, output, stdout: run.stdout, stderr: run.stderr, artifact };
}

type Ended = Pick<UserCommandResult, "command" | "exitCode" | "cancelled" | "timedOut" | "durationMs">;

function textFor(output: string, ended: Ended, artifact: ArtifactRef | undefined): string {
  const body = output === "" || output.endsWith("\n") ? output : `${output}\n`;
  const more = artifact ? `[the whole output is in artifact://${artifact.id}]\n` : "";
  return `<user_command>\n$ ${ended.command}\n${body}${more}[${ending(ended)}]\n</user_command>`;
}

function ending({ exitCode, cancelled, timedOut, durationMs }: Ended): string {
  if (timedOut) return `ended after ${durationMs} ms, because its time was up`;
  if (cancelled) return `cancelled by the user after ${durationMs} ms`;
  return exitCode === null ? `ended by a signal after ${durationMs} ms` : `exit code: ${exitCode}, ${durationMs} ms`;
}

/** As a transcript shows it. */
export interface RecordedUserCommand extends Ended {
  readonly output: string;
  readonly truncated: boolean;
  readonly isSent: boolean;
}

const RECORDED = fields({
  command: text,
  output: text,
  exitCode: orNull(number),
  cancelled: flag,
  timedOut: flag,
  truncated: flag,
  durationMs: number,
  artifact: optional(fields({ id: number, bytes: number })),
});

/** Undefined for entries of other kinds. */
export function userCommandOf(entry: TreeEntry): RecordedUserCommand | undefined {
  if (entry.type !== "custom" && entry.type !== "custom_message") return undefined;
  const recorded = dataOf(entry);
  if (entry.customType !== USER_COMMAND || !fits(recorded, RECORDED)) return undefined;
  return { ...(recorded as unknown as Omit<RecordedUserCommand, "isSent">), isSent: entry.type === "custom_message" };
}

const dataOf = (entry: CustomEntry | CustomMessageEntry): unknown =>
  entry.type === "custom" ? entry.data : entry.details;
