// If a provider refuses a part of the history, it would refuse every later request too, and the session would be
// unusable: an image it cannot read, or thinking signed for another account. So we stop sending that part; the journal
// keeps it.

import { type ContentPart, InvalidRequestError, type Message, NotFoundError } from "@lathe/llm";
import { isSigned } from "../record/journal/context.ts";
import { applyPrune } from "./compaction.ts";
import type { ModelContext, SessionLog } from "./facades.ts";

const ABOUT_THOUGHTS =
  /encrypted[ _]content|\bitem with id\b.*not found|thought[ _]?signature|signature\W.*\bthinking|thinking\W.*signature|thinking\W+blocks?\b/i;
/** Includes a level of detail that the model does not support, because that message names only the level. */
const ABOUT_MEDIA = /image|\bmedia|\bpdf\b|\bdocuments?\b|\baudio|['"]original['"]/i;
const MOST_REASON = 200;

/** Returns true if something was omitted, so that the request may succeed now. */
export function leaveOutRefused(core: SessionLog & ModelContext, error: unknown): boolean {
  // The thing that was not found may be an item of the history.
  if (!(error instanceof InvalidRequestError || error instanceof NotFoundError)) return false;
  const reason = error.message.slice(0, MOST_REASON);
  if (ABOUT_THOUGHTS.test(`${error.message} ${error.errorCode ?? ""}`)) return leaveOutThoughts(core, reason);
  if (error instanceof NotFoundError) return false;
  return (ABOUT_MEDIA.test(error.message) && leaveOutMedia(core, reason)) || leaveOutUnknown(core, reason);
}

/** Parts that we sent back unchanged because we do not know them. They may be the reason for any refusal. */
function leaveOutUnknown(core: SessionLog & ModelContext, reason: string): boolean {
  const unknown = entriesWith(core, ({ content }) => content.some((part) => part.kind === "unknown"));
  if (unknown.length === 0) return false;
  applyPrune(core, idsOf(unknown), { thoughts: true });
  core.warn(
    `The provider refused a request with parts of its own earlier answers, which are omitted from now on: ${reason}`,
    "parts_refused",
  );
  return true;
}

/** We omit all thinking, because few providers say which part they refused. */
function leaveOutThoughts(core: SessionLog & ModelContext, reason: string): boolean {
  const signed = entriesWith(core, ({ content }) => content.some(isSigned));
  if (signed.length === 0) return false;
  applyPrune(core, idsOf(signed), { thoughts: true });
  core.warn(
    `The provider cannot read its earlier thinking, which is omitted from now on: ${reason}`,
    "thoughts_refused",
  );
  return true;
}

/** Omits the newest media, otherwise all media. */
function leaveOutMedia(core: SessionLog & ModelContext, reason: string): boolean {
  const all = entriesWith(core, ({ role, content }) => role !== "assistant" && content.some(isMedia));
  if (all.length === 0) return false;
  const answeredAt = core.journal.context.messages.findLastIndex(({ role }) => role === "assistant");
  const newest = all.filter(({ at }) => at > answeredAt);
  const media = `[omitted because the provider refused it: ${reason}]`;
  applyPrune(core, idsOf(newest.length > 0 ? newest : all), { media });
  core.warn(`The provider refused an attachment, which is omitted from now on: ${reason}`, "media_refused");
  return true;
}

interface Found {
  readonly id: string;
  readonly at: number;
}

function entriesWith({ journal }: SessionLog, holds: (message: Message) => boolean): Found[] {
  const { messages, entryIds } = journal.context;
  return messages.flatMap((message, at) => {
    const id = entryIds[at];
    return id !== undefined && holds(message) ? [{ id, at }] : [];
  });
}

const idsOf = (found: readonly Found[]) => found.map(({ id }) => id);

function isMedia(part: ContentPart): boolean {
  if (part.kind === "tool_result") return (part.toolResult.images?.length ?? 0) > 0;
  return part.kind === "image" || part.kind === "audio" || part.kind === "document";
}
