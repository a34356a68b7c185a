// Events other than messages and calls, as one-line notes.

import type { WireEvent } from "lathe/client";
import { addNote, type Transcript } from "./transcript-state.ts";

export function afterNotice(transcript: Transcript, event: WireEvent): Transcript {
  switch (event.type) {
    case "auto_retry_start":
      return { ...transcript, activity: retryText(event.attempt, event.delayMs, event.errorMessage) };
    case "auto_retry_end":
      return { ...transcript, activity: undefined };
    case "auto_compaction_start":
      return { ...transcript, activity: "Summarizing older messages" };
    case "auto_compaction_end": {
      const done = { ...transcript, activity: undefined };
      return event.error === undefined
        ? addNote(done, "info", "Older messages were summarized to make room.")
        : addNote(done, "warning", `Older messages could not be summarized: ${event.error}`);
    }
    case "lathe:warning":
      return addNote(transcript, "warning", event.message);
    case "lathe:error":
      // The end of the input shows this error.
      return transcript.isBusy && !event.fatal ? transcript : addNote(transcript, "error", event.message);
    case "lathe:loop_detected":
      return addNote(transcript, "warning", event.message);
    case "lathe:limit":
      return addNote(transcript, "warning", `Stopped at the limit of ${event.reached} ${event.kind}.`);
    case "ttsr_triggered":
      return addNote(
        transcript,
        "warning",
        `The model was given a rule that it began to break: ${event.rules.join(", ")}.`,
      );
    default:
      return transcript;
  }
}

function retryText(attempt: number, delayMs: number, message: string): string {
  const wait = delayMs < 1000 ? "" : ` in ${Math.round(delayMs / 1000)}s`;
  return `${message} Retrying${wait} (attempt ${attempt})`;
}
