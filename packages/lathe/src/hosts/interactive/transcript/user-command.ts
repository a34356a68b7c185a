// A command that the user runs as a card: while it runs, when it has ended, and when it is read from the journal.

import type { Card } from "@lathe/agent";
import type { RecordedUserCommand } from "@lathe/agent/session";
import type { CallItem } from "./item.ts";

/** Lines of its output that are shown. */
const KEPT_LINES = 20;

type Ended = Omit<RecordedUserCommand, "truncated" | "isSent">;

export const runningCommandCard = (command: string): Card => ({
  verb: "$",
  subject: command,
  body: { kind: "output", text: "", keeps: "tail", collapsed: KEPT_LINES },
});

export const commandFailed = ({ exitCode, jobId }: Ended): boolean => exitCode !== 0 && jobId === undefined;

export function endedCommandCard(ended: Ended, isSent: boolean): Card {
  return {
    verb: "$",
    subject: ended.command,
    outcome: isSent ? endingOf(ended) : `${endingOf(ended)}, the model does not see it`,
    body: { kind: "output", text: ended.output, keeps: "tail", collapsed: KEPT_LINES },
  };
}

export const commandItem = (recorded: RecordedUserCommand): CallItem => ({
  kind: "call",
  card: endedCommandCard(recorded, recorded.isSent),
  state: commandFailed(recorded) ? "failed" : "done",
  tookMs: recorded.durationMs,
});

function endingOf({ exitCode, cancelled, timedOut, jobId }: Ended): string {
  if (jobId !== undefined) return `in the background as job ${jobId}`;
  if (cancelled) return "cancelled";
  if (timedOut) return "timed out";
  return exitCode === null ? "ended by a signal" : `exit ${exitCode}`;
}
