// Turns events into the items of a transcript, as a pure fold. Calls are in the order of the answer, whichever ends
// first.

import type { WireEvent, WireEventOf } from "lathe/client";
import { afterCall } from "./calls.ts";
import type { Item } from "./items.ts";
import { afterMessage } from "./messages.ts";
import { afterNotice } from "./notices.ts";
import { withPictures } from "./pictures.ts";
import { addNote, type Transcript } from "./transcript-state.ts";

/** Call with each event in the order of the session. */
export function afterEvent(transcript: Transcript, event: WireEvent): Transcript {
  switch (event.type) {
    case "agent_start":
      return { ...transcript, isBusy: true, hasTurns: false };
    case "agent_end":
      return inputEnd(transcript, event);
    case "turn_start":
      return { ...transcript, isBusy: true, hasTurns: true, activity: "Waiting for the model" };
    case "turn_end":
      return turnEnd({ ...transcript, items: withPictures(transcript.items, event.toolResults) });
    case "message_start":
    case "message_update":
    case "message_end":
      return afterMessage(transcript, event);
    case "tool_execution_start":
    case "tool_execution_update":
    case "tool_execution_end":
    case "lathe:approval_request":
    case "lathe:approval_settled":
      return afterCall(transcript, event);
    default:
      return afterNotice(transcript, event);
  }
}

function inputEnd(transcript: Transcript, end: WireEventOf<"agent_end">): Transcript {
  const { reason, error } = end;
  const ended = withVerdict({ ...turnEnd(transcript), isBusy: false, hasTurns: false }, end);
  if (reason === "interrupted" || reason === "aborted") return addNote(ended, "warning", "Interrupted.");
  return error === undefined ? ended : addNote(ended, "error", error);
}

/** The result of the session's checks. */
function withVerdict(transcript: Transcript, end: WireEventOf<"agent_end">): Transcript {
  const { verification, verificationReasons: reasons = [] } = end;
  if (verification === undefined || (verification === "none" && reasons.length === 0)) return transcript;
  const word = { verified: "Verified", failed: "Not verified", unverified: "Not verified", none: "Not checked" }[
    verification
  ];
  const text = reasons.length === 0 ? `${word}.` : `${word}: ${reasons.join(" ")}`;
  return addNote(transcript, verification === "verified" ? "info" : "warning", text);
}

/** Calls that had not begun were cut off with the turn. */
function turnEnd(transcript: Transcript): Transcript {
  const isPending = (item: Item): boolean => item.kind === "call" && item.state === "pending";
  const ended = { ...transcript, answerFrom: undefined, activity: undefined };
  return transcript.items.some(isPending)
    ? { ...ended, items: transcript.items.filter((item) => !isPending(item)) }
    : ended;
}
