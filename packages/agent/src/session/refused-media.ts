// An image that a provider refuses would be refused with every request from then on, and the session could only be given up.
// So it is left out of what is sent; the journal keeps it.

import { type ContentPart, InvalidRequestError, type Message } from "@lathe/llm";
import type { SessionCore } from "./core.ts";

const ABOUT_MEDIA = /image|\bmedia|\bpdf\b|\bdocuments?\b|\baudio/i;
const MOST_REASON = 200;

/** True when there was something to leave out, so that the request may pass now: what came last, else all there is. */
export function leaveOutMedia(core: SessionCore, error: unknown): boolean {
  if (!(error instanceof InvalidRequestError) || !ABOUT_MEDIA.test(error.message)) return false;
  const { messages, entryIds } = core.journal.context;
  const all = messages.flatMap((message, at) => {
    const id = entryIds[at];
    return id !== undefined && holdsMedia(message) ? [{ id, at }] : [];
  });
  if (all.length === 0) return false;
  const answeredAt = messages.findLastIndex(({ role }) => role === "assistant");
  const newest = all.filter(({ at }) => at > answeredAt);
  const chosen = newest.length > 0 ? newest : all;
  const reason = error.message.slice(0, MOST_REASON);
  core.append({
    type: "prune",
    prune: chosen.map(({ id }) => id),
    media: `[left out, because the provider refused it: ${reason}]`,
  });
  core.meter.reset();
  core.guard.expect("prune");
  core.warn(`The provider refused an attachment, which is left out from now on: ${reason}`, "media_refused");
  return true;
}

function holdsMedia({ role, content }: Message): boolean {
  return role !== "assistant" && content.some(isMedia);
}

function isMedia(part: ContentPart): boolean {
  if (part.kind === "tool_result") return (part.toolResult.images?.length ?? 0) > 0;
  return part.kind === "image" || part.kind === "audio" || part.kind === "document";
}
