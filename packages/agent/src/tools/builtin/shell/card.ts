// The card of a command: live output, and how it ended. Every shell tool uses it.

import type { Card, CardResult } from "../../../contract/card.ts";
import { COLLAPSED_LINES, numberIn, tail } from "../card.ts";

/** Lines that the result adds below the output for the model. */
const ADDED =
  /(?:^|\n)(?:\[(?:exit code: |the shell is as it was |ended by |interrupted after |still running as session |changed since you last saw |Full output|ERROR: Command timed out |\d+ lines? that reports? success )[^\n]*|Command exited with code \d+|Command timed out after [^\n]*|You can retry with a longer timeout [^\n]*|exit code: -?\d+)$/;

export function shellCard(command: string, result: CardResult | undefined): Card {
  if (!result) return { verb: "Running", subject: command, canDetach: true, body: tail("") };
  const { text, details, isError } = result;
  const job = numberIn(details, "jobId");
  if (job !== undefined) return { verb: "Started", subject: command, outcome: `job ${job}` };
  const exitCode = numberIn(details, "exitCode");
  const session = numberIn(details, "sessionId");
  const isRunning = session !== undefined && exitCode === undefined;
  // The call was denied, or refused before it began.
  if (exitCode === undefined && !isRunning) return { verb: isError ? "Run" : "Ran", subject: command };
  const output = withoutAdded(text);
  return {
    verb: isRunning ? "Started" : "Ran",
    subject: command,
    outcome: isRunning ? `session ${session}` : describeEnd(result, exitCode ?? 0),
    body: output === "" ? (isError ? tail("(no output)", COLLAPSED_LINES) : undefined) : tail(output),
  };
}

function describeEnd({ text, details, isError }: CardResult, exitCode: number): string | undefined {
  if (details["timedOut"] === true || /(?:\[ERROR: |\n|^)Command timed out/.test(text)) return "timed out";
  const signal = /\[ended by (\w+),[^\]]*\]\s*$/.exec(text)?.[1];
  if (signal !== undefined) return `ended by ${signal}`;
  if (/\[ended by the user\]\s*$/.test(text)) return "ended by you";
  if (/\[interrupted after [^\]]*\]\s*$/.test(text)) return "interrupted";
  return isError || exitCode !== 0 ? `exit ${exitCode}` : undefined;
}

/** Only the command's own output. */
export function withoutAdded(text: string): string {
  let output = text.trimEnd();
  for (let next = output.replace(ADDED, ""); next !== output; next = output.replace(ADDED, "")) output = next.trimEnd();
  return output;
}
